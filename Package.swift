// swift-tools-version: 6.2
import PackageDescription

/// `GIFTD_FUZZ=1 swift build --product Fuzz` builds the parsers for libFuzzer; see scripts/fuzz.
let isFuzzed = Context.environment["GIFTD_FUZZ"] != nil
let fuzzed: [SwiftSetting] = isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : []

let strict: [SwiftSetting] =
    fuzzed + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]

/// For modules that hold no C: the compiler proves that nothing unsafe is in them.
let pure = strict + [.strictMemorySafety()]

let fuzzTargets: [Target] = [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
        name: "Fuzz", dependencies: ["CFuzzer", "Control", "Decoding", "Pictures", "VAP", "Basics"],
        path: "Tests/Fuzz/Fuzz",
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
]

let package = Package(
    name: "giftd",
    products: [
        .executable(name: "giftd", targets: ["giftd"]),
        .executable(name: "giftctl", targets: ["giftctl"]),
        .executable(name: "giftdraw", targets: ["giftdraw"]),
    ],
    targets: [
        // System libraries: a module map and what Swift cannot see in the headers.
        .systemLibrary(name: "CGLib", pkgConfig: "gio-unix-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-app-1.0 gstreamer-video-1.0 gstreamer-audio-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CGStreamerCheck", pkgConfig: "gstreamer-check-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .systemLibrary(
            name: "CLibAV", pkgConfig: "libavformat libavcodec libavutil libswscale libswresample",
            providers: [
                .apt([
                    "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev",
                    "libswresample-dev",
                ])
            ]),
        .systemLibrary(name: "CSRT", pkgConfig: "srt", providers: [.apt(["libsrt-gnutls-dev"])]),
        .systemLibrary(name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"])]),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

        // Ours, in the order of who may know whom.
        .target(
            name: "CKernels",
            cSettings: [.unsafeFlags(["-O3"] + (isFuzzed ? ["-fsanitize=address"] : []))]),
        .target(name: "Basics", dependencies: ["CGLib"], swiftSettings: strict),
        .target(name: "VAP", swiftSettings: pure),
        .target(name: "Gifts", swiftSettings: pure),
        .target(
            name: "Pictures", dependencies: ["CKernels", "CPango", "Basics", "VAP"], swiftSettings: strict),
        .target(
            name: "Decoding", dependencies: ["CLibAV", "Pictures", "VAP", "Basics"], swiftSettings: strict),
        .target(
            name: "Live", dependencies: ["CGLib", "CGStreamer", "CSRT", "Pictures", "Basics"],
            swiftSettings: strict),
        .target(name: "Control", dependencies: ["CGLib", "CSoup", "Gifts", "Basics"], swiftSettings: strict),
        .target(
            name: "Service",
            dependencies: [
                "CGLib", "CSystemd", "Control", "Live", "Decoding", "Pictures", "Gifts", "VAP", "Basics",
            ],
            swiftSettings: strict),
        .executableTarget(name: "giftd", dependencies: ["Service"], swiftSettings: strict),
        .executableTarget(
            name: "giftctl", dependencies: ["Control", "Decoding", "Pictures", "VAP", "Basics"],
            swiftSettings: strict),
        .executableTarget(name: "giftdraw", dependencies: ["CCairo", "Basics"], swiftSettings: strict),

        // Counts a thread's use of the heap.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(name: "BasicsTests", dependencies: ["Basics", "CGLib"], swiftSettings: strict),
        .testTarget(name: "VAPTests", dependencies: ["VAP"], swiftSettings: strict),
        .testTarget(name: "GiftsTests", dependencies: ["Gifts"], swiftSettings: strict),
        .testTarget(
            name: "PicturesTests", dependencies: ["Pictures", "CKernels", "CAllocations", "VAP", "Basics"],
            swiftSettings: strict),
        .testTarget(
            name: "DecodingTests",
            dependencies: ["Decoding", "CLibAV", "CAllocations", "Pictures", "VAP", "Basics"],
            swiftSettings: strict),
        .testTarget(
            name: "LiveTests",
            dependencies: ["Live", "CGStreamer", "CGStreamerCheck", "CSRT", "Pictures", "Basics"],
            swiftSettings: strict),
        .testTarget(
            name: "ControlTests", dependencies: ["Control", "Gifts", "Basics", "CGLib"], swiftSettings: strict
        ),
        .testTarget(
            name: "ServiceTests",
            dependencies: ["Service", "Live", "Decoding", "Pictures", "Gifts", "VAP", "Basics"],
            swiftSettings: strict),
        .testTarget(
            name: "GiftctlTests",
            dependencies: ["giftctl", "Control", "Decoding", "Pictures", "VAP", "Basics"],
            swiftSettings: strict),
        .testTarget(name: "IntegrationTests", dependencies: ["Basics"], swiftSettings: strict),
        .executableTarget(
            name: "giftbench", dependencies: ["CKernels", "Decoding", "Pictures", "VAP", "Basics"],
            path: "Tests/Bench", swiftSettings: strict),
    ] + (isFuzzed ? fuzzTargets : [])
)
