internal import Pictures
internal import VAP

/// Makes what is filled into the gifts of a job: their texts, and images from files. One thread.
final class RenderFusion {
    private let workshop = FusionWorkshop()
    /// What was given and is not seen, by the gift's place in the job.
    private(set) var warnings: [(gift: Int, text: String)] = []

    /// The elements of a gift that lies at `place`, as far as they can be made; nil when nothing is filled in.
    func art(
        of gift: RenderJob.Gift, number: Int, place: PlacedRectangle, program: ProgramFormat
    ) -> FusionArt? {
        let (order, unused) = FusionOrder.match(
            gift.animation.manifest, texts: gift.texts, images: gift.images)
        warnings += unused.map { (number, $0) }
        guard let order else { return nil }
        let images = Dictionary(uniqueKeysWithValues: order.addresses.map { ($0, Self.read($0)) })
        let (art, outcomes) = workshop.make(order, place: place, program: program, images: images)
        for outcome in outcomes {
            guard let failure = outcome.failure else { continue }
            warnings.append((number, "\(outcome.kind.rawValue) \"\(outcome.tag)\" is left out: \(failure)"))
        }
        return art
    }

    private static func read(_ path: String) -> Result<[UInt8], ImageError> {
        do throws(AnimationError) {
            return .success(try GiftFile.whole(path, limit: ImageDecoder.byteLimit))
        } catch {
            let kind: ImageError.Kind =
                switch error.kind {
                case .limitExceeded: .tooLarge
                case .notMP4: .formatUnknown
                default: .notFound
                }
            return .failure(ImageError(kind, error.clause))
        }
    }
}
