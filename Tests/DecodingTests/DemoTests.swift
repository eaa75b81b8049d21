import Basics
import CLibAV
import Foundation
import Pictures
import Testing
import VAP

@testable import Decoding

/// The official demo against the pictures that it was made from.
@Suite("Official demo", .enabled(if: Shared.isThere("vap-samples/demo.mp4")), .timeLimit(.minutes(1)))
struct DemoTests {
    private static let (width, height) = (736, 576)

    @Test(
        "comes back within codec error of its source over white",
        arguments: [(20, 33.0), (40, 31.0), (60, 29.0)])
    func picture(index: Int, least: Double) throws {
        let animation = try Animation.open(path: Shared.path("vap-samples/demo.mp4"))
        let player = Player(
            animation, place: PlacedRectangle(x: 0, y: 0, width: Self.width, height: Self.height),
            program: Canvas.program(Self.width, Self.height), metrics: testMetrics())
        #expect(player.load() == .ready)
        let canvas = Canvas(Self.width, Self.height, (255, 255, 255))
        player.paint(picture: index, on: canvas)
        let source = try Self.source(Shared.path("vap-samples/frames/simple_demo_0\(index).png"))
        var (squares, sum) = (0.0, 0.0)
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                let at = (y * Self.width + x) * 4
                let alpha = Double(source[at + 3])
                let seen = canvas.rgb(x, y)
                func compare(_ value: Double, _ colour: UInt8) {
                    let wanted = (Double(colour) * alpha + 255 * (255 - alpha)) / 255
                    squares += (value - wanted) * (value - wanted)
                    sum += value - wanted
                }
                compare(seen.red, source[at])
                compare(seen.green, source[at + 1])
                compare(seen.blue, source[at + 2])
            }
        }
        let count = Double(Self.width * Self.height * 3)
        let decibels = 10 * log10(255 * 255 / (squares / count))
        #expect(decibels >= least)
        #expect(abs(sum / count) < 1, "mean error")
    }

    @Test(
        "plays all real files from their first picture on",
        arguments: [
            "demo", "vapx", "vap", "web_demo", "mask_blur_demo", "mask_trunk_demo", "pk_start",
        ])
    func opens(name: String) throws {
        let animation = try Animation.open(path: Shared.path("vap-samples/\(name).mp4"))
        #expect(animation.codedFrameCount == animation.layout.frameCount)
        #expect(animation.warnings.isEmpty)
        if name.hasPrefix("mask") { #expect(AnimationSurvey(animation).warnings.isEmpty) }
        #expect(animation.format.colour == ColourSpace(.bt601, .limited))
        #expect(animation.hasSound == ["vapx", "vap", "web_demo"].contains(name))
    }

    @Test(
        "plays foreign files whose halves are named: B-frames, start offset, odd rates, HEVC",
        arguments: [
            ("special_size_750", Halves.alphaRight, Size(375, 814), 119),
            ("alphaplayer_heartbeats", .alphaLeft, Size(720, 1280), 180),
            ("yyeva_fh-265", .alphaRight, Size(904, 1008), 180),
        ])
    func foreign(name: String, halves: Halves, canvas: Size, frames: Int) throws {
        let path = Shared.path("vap-samples/\(name).mp4")
        let animation = try Animation.open(path: path, bare: BareLayout(.halves(halves)))
        #expect(animation.layout.canvas == canvas)
        #expect(animation.codedFrameCount == frames && animation.layout.frameCount == frames)
        #expect((23.9...30).contains(animation.layout.framesPerSecond), "\(animation.layout.framesPerSecond)")
        var decoder = try AnimationDecoder(animation)
        var indices: [Int] = []
        while let index = try decoder.next() { indices.append(index) }
        #expect(indices == Array(0..<frames))
        #expect(decoder.damage == nil)
    }

    /// The pixels of a PNG file, red green blue alpha.
    private static func source(_ path: String) throws -> [UInt8] {
        var format: UnsafeMutablePointer<AVFormatContext>?
        try #require(avformat_open_input(&format, path, nil, nil) == 0)
        defer { avformat_close_input(&format) }
        let stream = try #require(format?.pointee.streams[0])
        let found = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id)
        var codec = avcodec_alloc_context3(found)
        defer { avcodec_free_context(&codec) }
        try #require(avcodec_parameters_to_context(codec, stream.pointee.codecpar) == 0)
        try #require(avcodec_open2(codec, found, nil) == 0)
        let packet = Owner<AVPacket>.packet()
        let frame = Owner<AVFrame>.frame()
        try #require(av_read_frame(format, packet.raw) == 0)
        try #require(avcodec_send_packet(codec, packet.raw) == 0)
        _ = avcodec_send_packet(codec, nil)
        try #require(avcodec_receive_frame(codec, frame.raw) == 0)
        return try rgba(frame.raw)
    }

    private static func rgba(_ frame: UnsafeMutablePointer<AVFrame>) throws -> [UInt8] {
        let size = (frame.pointee.width, frame.pointee.height)
        let scaler = sws_getContext(
            size.0, size.1, AVPixelFormat(frame.pointee.format), size.0, size.1, AV_PIX_FMT_RGBA, SWS_POINT,
            nil, nil, nil)
        defer { sws_freeContext(scaler) }
        let target = Owner<AVFrame>.picture(AV_PIX_FMT_RGBA, Int(size.0), Int(size.1))
        try #require(sws_scale_frame(scaler, target.raw, frame) >= 0)
        let (data, stride) = (try #require(target.raw.pointee.data.0), Int(target.raw.pointee.linesize.0))
        return (0..<height).flatMap { row in
            Array(UnsafeBufferPointer(start: data + row * stride, count: width * 4))
        }
    }
}
