"""A headless Chromium, driven by its DevTools protocol over a web socket of our own: no package is needed."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

NAMES = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"]
PATIENCE = 300  # seconds for any answer; a test that is right never waits so long


def find():
    """The browser's program, or None."""
    return os.environ.get("CHROME") or next(filter(None, map(shutil.which, NAMES)), None)


class Socket:
    """A web socket to a browser on this machine (RFC 6455): text messages of any length."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.stream = socket.create_connection((name, int(port)), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.stream.recv(1)
        assert b" 101 " in head, head

    def take(self, count):
        parts = b""
        while len(parts) < count:
            got = self.stream.recv(count - len(parts))
            assert got, "the browser has gone"
            parts += got
        return parts

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        length = len(data)
        head = b"\x81" + (bytes([0x80 | length]) if length < 126 else
                          b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length))
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        self.stream.sendall(head + mask + masked)

    def receive(self):
        text = b""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length > 125:
                length = struct.unpack(">H", self.take(2))[0] if length == 126 else struct.unpack(">Q", self.take(8))[0]
            data = self.take(length)
            if first & 15 in (0, 1):
                text += data
                if first & 128:
                    return text.decode()


class Page:
    """One page; what it says on its console, throws, or asks of the network is kept."""

    def __init__(self, width=1280, height=900):
        self.home = tempfile.mkdtemp(prefix="easim-browser-")
        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars", "--force-device-scale-factor=1",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={self.home}",
             f"--window-size={width},{height}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = Socket(self.address())
        self.calls = 0
        self.errors, self.requests, self.loaded = [], [], False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def address(self):
        """Where the page listens: the browser writes its port when it is ready."""
        port = Path(self.home, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if port.exists() and port.read_text().count("\n") > 0:
                with urllib.request.urlopen(f"http://127.0.0.1:{port.read_text().split()[0]}/json", timeout=PATIENCE) as answer:
                    pages = [p for p in json.load(answer) if p["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            assert self.process.poll() is None, "the browser does not start"
            time.sleep(0.02)
        raise AssertionError("the browser does not listen")

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str([a.get("value", a.get("description")) for a in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"][:200])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **params):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.calls:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.note(message)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Seconds until the page is loaded, has said that it is ready, and is drawn."""
        self.loaded, begin = False, time.monotonic()
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while not self.loaded:
            self.note(json.loads(self.socket.receive()))
        self.run("""new Promise((done) => {
            const look = () => document.documentElement.dataset.ready ? done(1) : setTimeout(look, 5);
            look();
        })""")
        self.settle()
        return time.monotonic() - begin

    def run(self, script):
        """The value of an expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
        return answer["result"].get("value")

    def settle(self):
        """Waits for two frames: what was asked for is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key, text=None):
        params = {"key": key, "code": key} | ({"text": text} if text else {})
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}
        params |= {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def shot(self, path, whole=True):
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(result["data"]))

    def close(self):
        try:
            self.call("Browser.close")
        except (AssertionError, OSError):
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
