internal import CKernels
internal import Glibc
internal import Pictures
internal import VAP

/// What one live frame costs while a gift shows, against copying the same bytes: 1080x1920, a gift of 672x1504 fitted
/// into it, full of alpha.
func measureKernels() throws {
    let program = ProgramFormat(width: 1080, height: 1920, colour: ColourSpace(.bt709, .limited))
    let layout = Layout(
        coded: Size(1024, 1504), canvas: Size(672, 1504),
        colour: Rectangle(x: 0, y: 0, width: 672, height: 1504),
        alpha: Rectangle(x: 676, y: 0, width: 336, height: 752), frameCount: 1, framesPerSecond: 30)
    let live = Planes(program.width, program.height)
    let gift = Planes(layout.coded.width, layout.coded.height)
    measureRows(program.width * program.height, live.luma)
    for (name, fit) in [("fitted", Placement.Fit.contain), ("a whole frame", .stretch)] {
        let place = Placement(fit: fit).rectangle(
            canvas: layout.canvas, program: Size(program.width, program.height))
        let preparer = PicturePreparer(layout: layout, place: place, program: program, blend: .premultiplied)
        let picture = Picture(place: place, program: program)
        try preparer.prepare(gift.decoded, into: picture)
        let sparse = SparsePicture(picture, in: SparseStorage())
        let bytes = place.width * place.height * 3 / 2
        measure("prepare, \(name)", bytes: bytes) { try? preparer.prepare(gift.decoded, into: picture) }
        measure("blend, \(name)", bytes: bytes) { picture.blend(onto: live.frame) }
        measure("blend from cache, \(name)", bytes: bytes) { sparse.blend(onto: live.frame) }
    }
    let other = Planes(program.width, program.height)
    measure("memcpy of a whole frame", bytes: 1080 * 1920 * 3 / 2) {
        memcpy(live.luma.start, other.luma.start, 1080 * 1920)
        memcpy(live.chromaU.start, other.chromaU.start, 1080 * 1920 / 4)
        memcpy(live.chromaV.start, other.chromaV.start, 1080 * 1920 / 4)
    }
}

/// Each kernel on one plane, in every form that this machine has.
private func measureRows(_ count: Int, _ live: Plane) {
    let (colour, alpha, out) = (Plane(count, seed: 3), Plane(count, seed: 4), Plane(2 * count, seed: 6))
    let words = UnsafeMutablePointer<UInt16>.allocate(capacity: count)
    defer { words.deallocate() }
    for index in 0..<count { words[index] = UInt16(index * 37 % 32_641) }
    let kernels: [(String, () -> Void)] = [
        ("ck_blend", { ck_blend(live.start, colour.start, alpha.start, count, 16) }),
        ("ck_clear", { ck_clear(live.start, alpha.start, count, 16) }),
        ("ck_premultiply", { ck_premultiply(live.start, alpha.start, count, 16) }),
        ("ck_narrow", { ck_narrow(out.start, words, count) }),
        ("ck_alpha", { ck_alpha(out.start, words, count, 2048, 19_077, 4, 251) }),
        ("ck_map", { ck_map(out.start, words, words, words, count, 9539, -1704, 6660, -160_000) }),
        ("ck_halve_alpha", { ck_halve_alpha(out.start, colour.start, alpha.start, count / 2) }),
    ]
    for (name, kernel) in kernels {
        for (form, width) in [("plain", CK_PLAIN), ("AVX2", CK_WIDE), ("AVX-512", CK_WIDEST)]
        where width.rawValue <= ck_vectors().rawValue {
            ck_limit_vectors(width)
            measure("\(name), \(form)", bytes: count, kernel)
            ck_limit_vectors(CK_WIDEST)
        }
    }
    measure("memcpy", bytes: count) { memcpy(live.start, colour.start, count) }
}
