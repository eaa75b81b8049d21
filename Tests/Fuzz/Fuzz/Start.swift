internal import Basics
internal import CFuzzer
internal import Glibc

/// The targets by name: each takes any bytes and traps when they are dealt with wrongly.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "boxes": fuzzBoxes, "manifest": fuzzManifest, "rpc": fuzzRequest, "movie": fuzzMovie,
    "image": fuzzImage,
]

/// By the environment, as libFuzzer calls itself with lines of its own.
private let chosen = getenv("FUZZ_TARGET").flatMap { targets[String(cString: $0)] }

/// `FUZZ_TARGET=NAME Fuzz [libFuzzer's options and corpora]`. SwiftPM makes `main` an alias of this function.
@c(Fuzz_main)
func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    guard chosen != nil else {
        print("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: " "))")
        return 2
    }
    precondition(MainLoop.acquire(), "the main thread is the control plane's")
    var (count, arguments) = (count, arguments)
    return LLVMFuzzerRunDriver(&count, &arguments, testOneInput)
}

@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen?(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
