import Basics
import CSRT
import Glibc
import Testing

@testable import Live

@Suite("SRT listener", .timeLimit(.minutes(1)))
struct SRTListenerTests {
    /// A port that was free a moment ago.
    private func freePort() throws -> UInt16 {
        let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let name = try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                try #require(bind(probe, raw, length) == 0)
                try #require(getsockname(probe, raw, &length) == 0)
                return pointer.pointee.sin_port
            }
        }
        return UInt16(bigEndian: name)
    }

    private func connect(_ port: UInt16) throws -> SRTSOCKET {
        let caller = srt_create_socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                srt_connect(caller, $0, Int32(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code != csrt_error)
        return caller
    }

    @Test("every message takes the same short way to its receiver, however many came before")
    func depth() throws {
        try GStreamer.start()
        srt_startup()
        defer { srt_cleanup() }
        let port = try freePort()
        let listener = try SRTListener(uri: "srt://127.0.0.1:\(port)?mode=listener")
        defer { listener.stop() }
        // Where the stack is when a message comes: it would grow with every one.
        let places = Locked<[UInt]>([])
        listener.deliver { _, _ in
            var marker: UInt8 = 0
            let place = withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
            places.change { $0.append(place) }
        }
        let caller = try connect(port)
        defer { srt_close(caller) }
        let message = [CChar](repeating: 0x47, count: 188)
        for _ in 0..<400 {
            try #require(srt_sendmsg2(caller, message, Int32(message.count), nil) == Int32(message.count))
        }
        let seen = places.wait(deadline: Monotonic.now() + 10 * .second) { $0.count >= 300 ? $0 : nil }
        let depths = try #require(seen)
        #expect(Set(depths).count == 1)
    }
}
