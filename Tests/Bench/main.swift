internal import CKernels
internal import Pictures
internal import VAP

// `giftbench` alone times kernels and single pictures; `giftbench play` whole plays, see Play.swift.
if CommandLine.arguments.dropFirst().first == "play" {
    try Play(Array(CommandLine.arguments.dropFirst(2))).run()
} else {
    try measureKernels()
}
