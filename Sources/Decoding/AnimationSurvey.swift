internal import Pictures
package import VAP

/// What shows only when every picture of an animation is decoded: for inspections, as it takes as long as that.
package struct AnimationSurvey: Sendable {
    /// Pictures that can be decoded, of those that are shown.
    package private(set) var decoded = 0
    /// What is wrong with the others.
    package private(set) var damage: AnimationError?
    /// The picture in which most of the clear part holds colour, and how much of it (0 ... 1).
    package private(set) var strayColour: (picture: Int, share: Double) = (0, 0)

    /// Pictures whose colour is looked at.
    private static let looks = 32
    /// A share that somebody would see.
    private static let visible = 0.005

    /// Decodes everything, on the calling thread.
    package init(_ animation: Animation) {
        do {
            var decoder = try AnimationDecoder(animation)
            let step = max(1, min(animation.codedFrameCount, animation.layout.frameCount) / Self.looks)
            while let index = try decoder.next() {
                decoded += 1
                guard index % step == 0 else { continue }
                let share = try decoder.withFrame { frame throws(AnimationError) in
                    StrayColour.share(of: frame, animation.layout)
                }
                if share > strayColour.share { strayColour = (index, share) }
            }
            damage = decoder.damage
        } catch {
            damage = error
        }
    }

    /// As sentences, beside those of the animation.
    package var warnings: [String] {
        var warnings: [String] = []
        if let damage { warnings.append("\(damage)") }
        if strayColour.share >= Self.visible {
            let tenths = (strayColour.share * 1000).rounded() / 10
            warnings.append(
                "colour where alpha is 0: in picture \(strayColour.picture) on \(tenths) % of the clear part")
        }
        return warnings
    }
}
