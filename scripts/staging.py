"""The processes of an acceptance run: feed, servers, the room, and a client of it."""

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from measuring import FPS, Clip


def say(text):
    print(f"acceptance: {text}", file=sys.stderr, flush=True)


class Stage(contextlib.ExitStack):
    """All processes and files of a run; gone at its end."""

    def __init__(self, directory, options):
        super().__init__()
        self.directory, self.options = directory, options
        self.recording = directory / "recording.ts"
        self.clip = Clip(options.width, options.height)
        self.http = free_port(socket.SOCK_STREAM)
        if options.transport == "rtmp":
            self.port = free_port(socket.SOCK_STREAM)
            base = f"rtmp://127.0.0.1:{self.port}/live"
            self.feed, self.published = f"{base}/in", f"{base}/out"
            self.room_feed, self.room_destination = self.feed, self.published
        else:
            feed, out = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
            self.feed, self.room_feed = (
                f"srt://127.0.0.1:{feed}?mode=caller",
                f"srt://127.0.0.1:{feed}?mode=listener",
            )
            self.room_destination = f"srt://127.0.0.1:{out}"
            self.published = f"srt://127.0.0.1:{out}?mode=listener"

    def spawn(self, name, *command, stdout=None):
        log = open(self.directory / f"{name}.log", "w")
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=stdout or log,
            stderr=log,
        )
        self.callback(stop, process)
        return process

    def start(self):
        options = self.options
        say(f"encoding the feed, {options.size} at {FPS} fps")
        self.clip.make(self.directory / "clip.mp4", options.bitrate)
        (self.directory / "gifts").mkdir()
        for gift in options.gifts:
            shutil.copy(gift, self.directory / "gifts" / gift.name)
        self.pack_mark()
        # The gifts are mixed in silence, so that the feed's beeps are all that is heard.
        (self.directory / "room.json5").write_text(
            json.dumps(
                {
                    "room": "acceptance",
                    "feed": {"uri": self.room_feed},
                    "program": {
                        "width": options.width,
                        "height": options.height,
                        "fps": FPS,
                        "video": {"bitrate": options.bitrate},
                    },
                    "destinations": [{"name": "out", "uri": self.room_destination}],
                    "gifts": {"directory": str(self.directory / "gifts")},
                    "lanes": [{"name": "main", "volume": 0}, {"name": "mark", "place": {"fit": "none"}}],
                    "control": {"socket": str(self.directory / "control.sock")},
                    "http": {"listen": f"127.0.0.1:{self.http}"},
                }
            )
        )
        if options.transport == "rtmp":
            self.nginx()
        # Whoever listens has to be there first: nginx and its publisher, or the receiver of the program.
        if options.transport == "srt":
            self.watch()
        else:
            self.publish()
        self.daemon = self.spawn("giftd", options.build / "giftd", "--config", "room.json5")
        self.control = Control(self.directory / "control.sock", self.daemon)
        if options.transport == "srt":
            self.publish()
        self.control.wait("feed.up", 20)
        self.control.wait("destination.up", 20)
        if options.transport == "rtmp":
            self.watch()

    def publish(self):
        form = "flv" if self.options.transport == "rtmp" else "mpegts"
        self.spawn(
            "publisher",
            "ffmpeg",
            "-v",
            "warning",
            "-re",
            "-stream_loop",
            "-1",
            "-i",
            "clip.mp4",
            "-c",
            "copy",
            "-f",
            form,
            self.feed,
        )

    def nginx(self):
        (self.directory / "nginx.conf").write_text(
            "load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;\n"
            "daemon off; master_process off; pid nginx.pid; error_log stderr warn;\n"
            "events { worker_connections 64; }\n"
            f"rtmp {{ server {{ listen 127.0.0.1:{self.port}; application live {{ live on; }} }} }}\n"
        )
        self.spawn(
            "nginx",
            "/usr/sbin/nginx",
            "-p",
            self.directory,
            "-e",
            "stderr",
            "-c",
            self.directory / "nginx.conf",
        )
        wait_for_port(self.port)

    def watch(self):
        """Records the program with the stream's own stamps."""
        self.watcher = self.spawn(
            "watcher",
            "ffmpeg",
            "-v",
            "warning",
            "-copyts",
            "-i",
            self.published,
            "-c",
            "copy",
            "-f",
            "mpegts",
            self.recording,
        )

    def pack_mark(self):
        """A small gift of one colour, easy to see from outside."""
        pictures = self.directory / "mark"
        pictures.mkdir()
        side = self.clip.side * 2
        subprocess.run(
            [
                "ffmpeg",
                "-v",
                "error",
                "-f",
                "lavfi",
                "-i",
                f"color=c=magenta:s={side}x{side}:r={FPS},format=rgba",
                "-frames:v",
                "15",
                pictures / "%03d.png",
            ],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        subprocess.run(
            [
                self.options.build / "giftctl",
                "pack",
                pictures,
                "--fps",
                str(FPS),
                "-o",
                self.directory / "gifts/mark.mp4",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )


class Control:
    """A client of the control socket."""

    def __init__(self, path, daemon):
        deadline = time.monotonic() + 20
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            with contextlib.suppress(OSError):
                self.socket.connect(str(path))
                break
            if daemon.poll() is not None or time.monotonic() > deadline:
                sys.exit(
                    "acceptance: giftd does not start:\n" + (path.parent / "giftd.log").read_text()[-2000:]
                )
            time.sleep(0.05)
        self.lines = self.socket.makefile("rb")
        self.pending, self.number = [], 0
        self.call("events.subscribe")

    def call(self, method, **params):
        self.number += 1
        self.socket.sendall(
            json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode()
            + b"\n"
        )
        while True:
            message = self.read(10)
            if message.get("id") == self.number:
                return message
            self.pending.append(message)

    def wait(self, name, seconds, **fields):
        """The parameters of the next event of this name with these fields."""
        deadline, index = time.monotonic() + seconds, 0
        while True:
            while index < len(self.pending):
                message = self.pending[index]
                params = message.get("params", {})
                if message.get("method") == name and all(
                    params.get(key) == value for key, value in fields.items()
                ):
                    del self.pending[index]
                    return params
                index += 1
            self.pending.append(self.read(max(0.01, deadline - time.monotonic())))

    def read(self, seconds):
        self.socket.settimeout(seconds)
        line = self.lines.readline()
        if not line:
            sys.exit("acceptance: giftd hung up")
        return json.loads(line)


def metrics(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    return {
        name: float(value)
        for name, value in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")
    }


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    sys.exit("acceptance: nginx does not start")


def stop(process, number=signal.SIGTERM):
    """Ends a process, by force after 15 s; answers its exit status."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()
