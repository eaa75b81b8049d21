import Testing

@testable import Pictures
@testable import VAP

@Suite("Fusion geometry")
struct FusionGeometryTests {
    private func source(_ width: Int, _ height: Int, _ fit: FusionSource.Fit) -> FusionSource {
        FusionGift.source(Size(width, height), fit)
    }

    @Test("a source that is stretched is shown whole")
    func stretch() {
        let window = FusionGeometry.window(
            of: source(10, 10, .stretch), picture: Size(640, 480), targetWidth: 7, targetHeight: 90)
        #expect(window == Rectangle(x: 0, y: 0, width: 640, height: 480))
    }

    /// Picture, source size and target; then the window in pixels of the picture.
    static let covers: [(Size, Size, (Double, Double), Rectangle)] = [
        // Drawn as 120x60: the middle, unscaled, as long as the target is no larger.
        (Size(100, 50), Size(60, 60), (60, 60), Rectangle(x: 25, y: 0, width: 50, height: 50)),
        (Size(100, 50), Size(60, 60), (30, 30), Rectangle(x: 37.5, y: 12.5, width: 25, height: 25)),
        (Size(100, 50), Size(60, 60), (90, 60), Rectangle(x: 12.5, y: 0, width: 75, height: 50)),
        // Beyond it the largest part of the target's shape.
        (Size(100, 50), Size(60, 60), (100, 200), Rectangle(x: 37.5, y: 0, width: 25, height: 50)),
        (Size(100, 50), Size(60, 60), (240, 60), Rectangle(x: 0, y: 12.5, width: 100, height: 25)),
        (Size(100, 50), Size(60, 60), (200, 100), Rectangle(x: 0, y: 0, width: 100, height: 50)),
        // Drawn as 60x120.
        (Size(50, 100), Size(60, 60), (60, 60), Rectangle(x: 0, y: 25, width: 50, height: 50)),
        // The file does not say a size: the picture's own.
        (Size(100, 50), Size(0, 60), (20, 20), Rectangle(x: 40, y: 15, width: 20, height: 20)),
        (Size(100, 50), Size(0, 0), (100, 100), Rectangle(x: 25, y: 0, width: 50, height: 50)),
        // Fractions are cut: drawn as 99x70, of which a target of 50.9x60 shows 50x60 at 24,5.
        (Size(99, 70), Size(70, 70), (50.9, 60), Rectangle(x: 24, y: 5, width: 50, height: 60)),
    ]

    @Test("a source that covers shows its middle by the Android player's two steps", arguments: covers)
    func cover(picture: Size, own: Size, target: (Double, Double), wanted: Rectangle) {
        let window = FusionGeometry.window(
            of: source(own.width, own.height, .cover), picture: picture, targetWidth: target.0,
            targetHeight: target.1)
        let pairs = [
            (window.x, wanted.x), (window.y, wanted.y), (window.width, wanted.width),
            (window.height, wanted.height),
        ]
        for (found, wanted) in pairs { #expect(abs(found - wanted) < 1e-9, "\(window)") }
    }

    @Test(
        "no picture is so thin and no target so large that nothing is left of the window",
        arguments: [Size(1, 4096), Size(4096, 1), Size(1, 1), Size(8192, 8192)])
    func extremes(picture: Size) {
        for own in [Size(4096, 1), Size(1, 4096), Size(0, 0), Size(66, 66)] {
            for side in [1e-300, 0.5, 3, 1e6] {
                let window = FusionGeometry.window(
                    of: source(own.width, own.height, .cover), picture: picture, targetWidth: side,
                    targetHeight: 1e6 - side)
                #expect(window.width > 0 && window.height > 0)
                #expect(window.x >= 0 && window.x + window.width <= Double(picture.width) + 1e-6)
                #expect(window.y >= 0 && window.y + window.height <= Double(picture.height) + 1e-6)
            }
        }
    }

    private func manifest(_ sources: String, _ frames: String) throws -> Manifest {
        try Manifest(
            json: Array(
                """
                {"info":{"v":2,"f":2,"w":40,"h":48,"fps":25,"videoW":64,"videoH":48,"orien":0,"isVapx":1,
                "rgbFrame":[0,0,40,48],"aFrame":[44,0,20,24]},"src":[\(sources)],"frame":[\(frames)]}
                """.utf8))
    }

    @Test("says how large a source is drawn at most")
    func demand() throws {
        let manifest = try manifest(
            #"{"srcId":"1","srcType":"img","srcTag":"a","w":20,"h":20,"fitType":"centerFull"},"#
                + #"{"srcId":"2","srcType":"txt","srcTag":"b","w":30,"h":8},"#
                + #"{"srcId":"3","srcType":"txt","srcTag":"c"},{"srcId":"4","srcType":"img","srcTag":"d"}"#,
            #"{"i":0,"obj":[{"srcId":"1","frame":[0,0,10,10],"mFrame":[44,24,10,10]},"#
                + #"{"srcId":"2","frame":[0,0,30,8],"mFrame":[44,24,10,8]}]},"#
                + #"{"i":1,"obj":[{"srcId":"1","frame":[0,0,20,20],"mFrame":[44,24,10,10]},"#
                + #"{"srcId":"3","frame":[0,0,12.5,6],"mFrame":[44,24,10,6]}]}"#)
        let demand = FusionDemand(manifest, place: PlacedRectangle(x: 0, y: 0, width: 80, height: 96))
        // Drawn as 40x20 canvas pixels, of which 20x20 show on 40x40 of the program.
        #expect(demand.reduced(Size(800, 400), of: 0) == Size(80, 40))
        #expect(demand.reduced(Size(8, 4), of: 0) == Size(8, 4))
        #expect(demand.text(1)?.size == Size(30, 8))
        #expect(demand.text(1)?.scale == 2)
        #expect(demand.text(2)?.size == Size(13, 6))
        #expect(demand.isDrawn(2) && !demand.isDrawn(3) && demand.text(3) == nil)
    }
}
