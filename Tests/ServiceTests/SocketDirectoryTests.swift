import Foundation
import Testing

@testable import Service

@Suite("Socket directory")
struct SocketDirectoryTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("is made for owner and group, with what leads to it, and left alone when it is there")
    func makes() throws {
        try withDirectory { directory in
            try SocketDirectory.make(for: "\(directory)/run/giftd/demo/control.sock")
            #expect(try mode("\(directory)/run/giftd/demo").map { $0 & 0o007 } == 0)
            let socket = "\(directory)/run/giftd/demo/control.sock"
            #expect(!FileManager.default.fileExists(atPath: socket))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: "\(directory)/run/giftd/demo")
            try SocketDirectory.make(for: socket)
            #expect(try mode("\(directory)/run/giftd/demo") == 0o700)
            try SocketDirectory.make(for: "control.sock")
            try SocketDirectory.make(for: "/control.sock")
        }
    }

    @Test("says where it cannot be made and what to do")
    func fails() throws {
        try withDirectory { directory in
            try write("a file", to: "\(directory)/file")
            let failure = #expect(throws: SocketDirectory.Failure.self) {
                try SocketDirectory.make(for: "\(directory)/file/demo/control.sock")
            }
            #expect(
                failure?.description.contains("\(directory)/file/demo cannot be made: Not a directory")
                    == true)
            #expect(failure?.description.contains("control.socket") == true)
        }
    }
}
