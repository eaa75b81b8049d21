"""What the acceptance run looks with: a feed with marks in it, and measures of recordings and streams."""

import re
import subprocess
import threading
import time

FPS = 30
CLIP_SECONDS = 32  # a whole number of AAC frames, so that the loop has no seam
COUNTER_BITS = 10  # the frame number modulo 1024: more than half a minute


class Clip:
    """The feed, and where its marks are. All lie in the margins that a gift leaves free, but for the grey
    square in the middle, on which a small gift is easy to see."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.side = width // 18 // 2 * 2
        self.middle = (width // 2, height // 2)

    def bit(self, index):
        """Middle of the square that shows a bit of the frame number: down the left edge, above and below."""
        step = self.height // 28
        row = index if index < COUNTER_BITS // 2 else 28 - COUNTER_BITS + index
        return (self.side // 2 + self.side // 4, step // 2 + row * step)

    def flash(self):
        """The flashing square for ffmpeg's crop filter."""
        return f"{self.side // 2}:{self.side}:{self.width - self.side}:{self.side}"

    def filter(self):
        side, (x, y) = self.side, self.middle
        boxes = [
            f"drawbox={x - 2 * side}:{y - 2 * side}:{4 * side}:{4 * side}:gray:fill",
            f"drawbox=0:0:{side + side // 4}:{self.height}:black:fill",
            f"drawbox={self.width - side * 5 // 4}:0:{side * 5 // 4}:{self.height}:black:fill",
            f"drawbox={self.width - side * 9 // 8}:{side // 2}:{side}:{2 * side}:white:fill"
            ":enable='lt(mod(n,30),3)'",
        ]
        for index in range(COUNTER_BITS):
            x, y = self.bit(index)
            boxes.append(
                f"drawbox={x - side // 2}:{y - side // 2}:{side}:{side}:white:fill"
                f":enable='eq(mod(floor(n/{2 ** index}),2),1)'"
            )
        return ",".join(boxes)

    def make(self, path, bitrate):
        picture = f"testsrc2=s={self.width}x{self.height}:r={FPS},{self.filter()},format=yuv420p"
        sound = "aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.1)':s=48000,aformat=channel_layouts=stereo"
        subprocess.run(
            [
                "ffmpeg",
                "-v",
                "error",
                "-f",
                "lavfi",
                "-i",
                picture,
                "-f",
                "lavfi",
                "-i",
                sound,
                "-t",
                str(CLIP_SECONDS),
                "-c:v",
                "libx264",
                "-preset",
                "veryfast",
                "-profile:v",
                "main",
                "-bf",
                "0",
                "-g",
                str(FPS),
                "-b:v",
                str(bitrate),
                "-maxrate",
                str(bitrate),
                "-bufsize",
                str(bitrate),
                "-c:a",
                "aac",
                "-b:a",
                "128k",
                "-y",
                path,
            ],
            check=True,
            stdin=subprocess.DEVNULL,
        )


class Steps:
    """Distances between the packets of a track. Those of the first second may be wide."""

    def __init__(self):
        self.first = self.last = None
        self.count, self.backwards, self.widest, self.all = 0, 0, 0.0, []

    def add(self, dts):
        self.count += 1
        if self.last is None:
            self.first = dts
        else:
            step = dts - self.last
            self.backwards += step <= 0
            if dts - self.first > 1:
                self.all.append(step)
                self.widest = max(self.widest, step)
        self.last = dts

    def wide(self, limit):
        return sum(step > limit for step in self.all)


def packets(path):
    output = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "packet=codec_type,dts_time", "-of", "csv=p=0", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for line in output.splitlines():
        # Lines without a number belong to side data.
        if packet := re.match(r"(video|audio),([\d.]+)", line):
            yield packet[1], float(packet[2])


def cut(path, end, size=12_000_000):
    """A file with the "start" or the "end" of a transport stream, whole packets; 20 s and more."""
    part = path.with_suffix(f".{end}.ts")
    with open(path, "rb") as stream:
        packets = max(0, path.stat().st_size - size) // 188 if end == "end" else 0
        stream.seek(packets * 188)
        part.write_bytes(stream.read(size))
    return part


def av_offsets(path, clip):
    """By how much every beep is later than its flash, in seconds."""

    def ffmpeg(*words):
        return subprocess.run(
            ["ffmpeg", "-nostats", "-copyts", "-i", path, *words, "-f", "null", "-"],
            capture_output=True,
            text=True,
        )

    beeps = [
        float(time)
        for time in re.findall(
            r"silence_end: ([\d.]+)",
            ffmpeg("-map", "0:a", "-af", "silencedetect=noise=-30dB:duration=0.3").stderr,
        )
    ]
    levels = re.findall(
        r"pts_time:([\d.]+)\s*lavfi.signalstats.YAVG=([\d.]+)",
        ffmpeg(
            "-map",
            "0:v",
            "-vf",
            f"crop={clip.flash()},signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-",
        ).stdout,
    )
    flashes = [
        float(now)
        for (_, dark), (now, bright) in zip(levels, levels[1:])
        if float(dark) < 100 <= float(bright)
    ]
    offsets = [min((beep - flash for beep in beeps), key=abs) for flash in flashes if beeps]
    return [offset for offset in offsets if abs(offset) < 0.4]


class Eye(threading.Thread):
    """Looks at a stream: when each frame came, its number, and whether the mark shows in the middle."""

    SCALE = 6

    def __init__(self, clip, spawn, uri, name):
        """`spawn` starts a process by a name and its command line."""
        super().__init__(daemon=True)
        scale = self.SCALE
        self.size = (clip.width // scale, clip.height // scale)
        self.process = spawn(
            name,
            "ffmpeg",
            "-v",
            "error",
            "-flags",
            "low_delay",
            "-threads",
            "1",
            "-i",
            uri,
            "-vf",
            f"scale={self.size[0]}:{self.size[1]}:flags=neighbor",
            "-vsync",
            "passthrough",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-",
            stdout=subprocess.PIPE,
        )
        self.bits = [self.offset(clip.bit(index)) for index in range(COUNTER_BITS)]
        self.middle = self.offset(clip.middle)
        self.seen = []
        self.start()

    def offset(self, place):
        return (place[1] // self.SCALE * self.size[0] + place[0] // self.SCALE) * 3

    def run(self):
        count = self.size[0] * self.size[1] * 3
        while picture := self.process.stdout.read(count):
            if len(picture) < count:
                return
            number = sum((picture[place] > 128) << index for index, place in enumerate(self.bits))
            red, green, blue = picture[self.middle : self.middle + 3]
            self.seen.append((time.monotonic(), number, red > 180 and green < 90 and blue > 180))

    def came(self, number, before):
        """When the frame with this number came, the last one seen before a time; nothing if none was.

        The publisher keeps time, so the frames around it tell when it came but for delays of looking at it.
        """
        seen = list(self.seen)
        index = next(
            (i for i in range(len(seen) - 1, -1, -1) if seen[i][1] == number and seen[i][0] < before), None
        )
        if index is None:
            return None
        count = CLIP_SECONDS * FPS
        away = lambda other: ((number - other + count // 2) % count - count // 2) / FPS
        return min(at + away(other) for at, other, _ in seen[max(0, index - 2 * FPS) : index + 2 * FPS])


def quantiles(values):
    ordered = sorted(values)
    pick = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000
    shares = " ".join(f"p{share * 100:.0f} {pick(share):.0f}" for share in (0.5, 0.9, 0.99))
    return f"{shares} max {ordered[-1] * 1000:.0f} ms ({len(ordered)})"
