internal import CKernels
internal import Pictures
internal import VAP

// What one live frame costs while a gift shows: 1080x1920, a gift of 672x1504 fitted into it, full of alpha.
let program = ProgramFormat(width: 1080, height: 1920, colour: ColourSpace(.bt709, .limited))
let layout = Layout(
    coded: Size(1024, 1504), canvas: Size(672, 1504), colour: Rectangle(x: 0, y: 0, width: 672, height: 1504),
    alpha: Rectangle(x: 676, y: 0, width: 336, height: 752), frameCount: 1, framesPerSecond: 30)
let place = Placement().rectangle(canvas: layout.canvas, program: Size(program.width, program.height))

let live = Planes(program.width, program.height)
let gift = Planes(layout.coded.width, layout.coded.height)
let pixels = program.width * program.height
let (colour, alpha) = (Plane(pixels, seed: 3), Plane(pixels, seed: 4))

print("vectors: \(String(cString: ck_vectors()))")
measure("blend kernel, one luma plane") { ck_blend(live.luma.start, colour.start, alpha.start, pixels, 16) }
measure("blend kernel, plain form") { ck_blend_plain(live.luma.start, colour.start, alpha.start, pixels, 16) }

let preparer = PicturePreparer(layout: layout, place: place, program: program, blend: .premultiplied)
let picture = Picture(place: place, program: program)
try preparer.prepare(gift.decoded, into: picture)
measure("prepare one picture") { try? preparer.prepare(gift.decoded, into: picture) }
measure("blend one picture onto a frame") { picture.blend(onto: live.frame) }
