"""The clients of soak.py. Each makes one kind of traffic until it is told to stop, and judges each answer that it gets.

An answer is right when its status is the one that its path calls for, and when its body is the one that follows from
the path and from who asked; one that was cut off, when what came of it is the beginning of that body and nothing tells
that it is the whole.
"""

import base64
import collections
import hashlib
import http.client
import json
import os
import pathlib
import random
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

from faulty_backend import FAULTS, WEBSOCKET_GUID, body_of
from gateway_process import token

GOOD = ("right", "chunked", "unmarked", "private")
CUT = ("dies", "dies-chunked", "dies-unmarked", "stalls")
USERS = [f"user-{number}" for number in range(50)]
TOKENS = {user: token(user) for user in USERS}
# From Linux's socket.h: closing sends a RST.
RESET = struct.pack("ii", 1, 0)


class Book:
    """What came of the requests, by kind, and every answer that was wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.wrong = []

    def note(self, what, mistake=None):
        with self.lock:
            self.counts[what] += 1
            if mistake:
                self.wrong.append(f"{what}: {mistake}")


def judge(tenant, path, user, status, body, whole):
    """What is wrong with an answer; None if nothing is."""
    kind = path.split("/")[1]
    right = body_of(path, user)
    is_right = status == 200 and whole and body == right
    # curl tells nothing, not even a status, of an answer over HTTP/2 whose reset is read together with its head.
    is_cut = status in (0, 200) and not whole and right.startswith(body)
    try:
        code = json.loads(body)["code"] if status and status >= 400 else None
    except (ValueError, KeyError, TypeError):
        code = None
    if tenant == "nobody":
        good = (status, code) == (503, "backend_unavailable")
    elif tenant == "mortal":
        good = is_right or is_cut or (status in (502, 503) and code == "backend_unavailable")
    elif kind in CUT:
        good = is_cut
    elif kind in FAULTS:
        expected = (504, "backend_timeout") if kind == "silent" else (502, "backend_unavailable")
        good = (status, code) == expected
    else:
        good = is_right
    return None if good else f"{path}: {status} {code} {len(body)} bytes of {len(right)}, whole: {whole}"


def any_path(kinds):
    length = random.choice((0, 1, 100, 5_000, random.randrange(200_000)))
    kind = random.choice(kinds)
    # Half of it has to be something that can be told from nothing.
    return f"/{kind}/{max(length, 4) if kind in FAULTS else length}/{random.randrange(1 << 30)}"


class Client:
    """One kind of traffic on threads of its own."""

    def __init__(self, soak, book):
        self.soak = soak
        self.book = book

    def connect(self, host, tls, **options):
        raw = socket.socket()
        for name, value in options.items():
            raw.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        raw.settimeout(30)
        raw.connect(("127.0.0.1", self.soak.tls_port if tls else self.soak.port))
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.soak.tls_context.wrap_socket(raw, server_hostname=host) if tls else raw

    def run(self, stopping):
        while not stopping.is_set():
            try:
                self.turn(stopping)
            except Exception as error:
                if not stopping.is_set():
                    self.book.note(type(self).__name__, f"unexpected {error!r}")
                    time.sleep(0.2)


class KeepAlive(Client):
    """Requests over HTTP/1.1, one after the other, as long as the connection lasts."""

    def __init__(self, soak, book, tenant, kinds, tls=False, pause=0.02):
        super().__init__(soak, book)
        self.tenant, self.kinds, self.tls, self.pause = tenant, kinds, tls, pause
        self.name = f"HTTP/1.1{' TLS' if tls else ''}, {tenant}"

    def turn(self, stopping):
        host = f"{self.tenant}.test"
        connection = http.client.HTTPConnection(host)
        connection.sock = self.connect(host, self.tls)
        for _ in range(random.randrange(1, 40)):
            if stopping.is_set() or connection.sock is None:
                break
            self.request(connection, random.choice(USERS))
            time.sleep(self.pause)
        connection.close()

    def request(self, connection, user):
        path = any_path(self.kinds)
        fields = {"Authorization": f"Bearer {TOKENS[user]}"}
        if self.tenant == "well" and random.random() < 0.2:
            sent = body_of(path, user)
            connection.request("POST", path, body=sent, headers=fields)
            response = connection.getresponse()
            received = response.read()
            same = response.status == 200 and received == sent
            return self.book.note(f"{self.name}, POST", None if same else f"{path}: {response.status}, another body")
        connection.request("GET", path, headers=fields)
        whole = True
        response = connection.getresponse()
        try:
            body = response.read()
        except http.client.IncompleteRead as cut:
            body, whole = cut.partial, False
            connection.close()
        self.book.note(self.name, judge(self.tenant, path, user, response.status, body, whole))


class Multiplexed(Client):
    """Requests over HTTP/2, made by curl: over TLS many at once. With prior knowledge each has a connection of its own,
    since a connection's second request fails in curl 7.88 (CURLE_HTTP2), whatever the server; h2load shares them.
    """

    def __init__(self, soak, book, tls=False):
        super().__init__(soak, book)
        self.tls = tls
        self.count = 40 if tls else 1
        self.name = f"HTTP/2 {'TLS' if tls else 'prior knowledge'}"
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=soak.directory))

    def turn(self, stopping):
        user = random.choice(USERS)
        scheme, port = ("https", self.soak.tls_port) if self.tls else ("http", self.soak.port)
        asked, lines = {}, []
        for number in range(self.count):
            tenant = random.choice(("well", "well", "well", "faulty", "mortal", "nobody"))
            path = any_path(tuple(FAULTS) if tenant == "faulty" else GOOD)
            file = str(self.directory / str(number))
            asked[file] = (tenant, path)
            lines += [f'url = "{scheme}://{tenant}.test:{port}{path}"', f'output = "{file}"']
        command = [
            "curl", "--silent", "--parallel", "--parallel-max", str(self.count),
            "--connect-to", f"::127.0.0.1:{port}", "--cacert", str(self.soak.directory / "certificate.pem"),
            "--http2" if self.tls else "--http2-prior-knowledge", "--max-time", "60",
            "--header", f"Authorization: Bearer {TOKENS[user]}", "--write-out",
            "%{filename_effective} %{http_version} %{http_code} %{exitcode}\n", "--config", "-",
        ]
        told = subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=False).stdout
        for line in told.splitlines():
            file, version, status, end = line.split()
            tenant, path = asked.pop(file)
            body = open(file, "rb").read() if os.path.exists(file) else b""
            mistake = judge(tenant, path, user, int(status), body, end == "0")
            if version != "2" and status != "000" and not mistake:
                mistake = f"{path}: HTTP/{version}"
            self.book.note(f"{self.name}, {tenant}", mistake)
            if os.path.exists(file):
                os.remove(file)
        for tenant, path in asked.values():
            self.book.note(f"{self.name}, {tenant}", f"{path}: nothing was told of it")
        time.sleep(self.count / 80)


class WebSocket(Client):
    """A WebSocket whose messages have to come back; ended by a close frame or without a word."""

    def __init__(self, soak, book, tls=False):
        super().__init__(soak, book)
        self.tls = tls

    def turn(self, stopping):
        connection = self.connect("well.test", self.tls)
        with connection, connection.makefile("rb") as stream:
            key = base64.b64encode(os.urandom(16))
            connection.sendall(
                b"GET /private/0/ws HTTP/1.1\r\nHost: well.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Authorization: Bearer %s\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n" % (TOKENS[USERS[0]].encode(), key)
            )
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = stream.readline()
                if not line:
                    raise ConnectionError("the handshake was not answered")
                head += line
            accept = base64.b64encode(hashlib.sha1(key + WEBSOCKET_GUID).digest())
            opened = head.startswith(b"HTTP/1.1 101 ") and b": " + accept + b"\r\n" in head
            self.book.note("WebSocket, opened", None if opened else repr(head))
            for _ in range(random.randrange(1, 30)):
                message = os.urandom(random.choice((0, 5, 125, 126, 3000)))
                self.send(connection, 0x82, message)
                back = self.receive(stream)
                self.book.note("WebSocket, message", None if back == (0x82, message) else "another message")
                time.sleep(0.05)
            if random.random() < 0.5:
                self.send(connection, 0x88, struct.pack(">H", 1000))
                first, _ = self.receive(stream)
                self.book.note("WebSocket, closed", None if first == 0x88 else f"frame {first:x}")

    @staticmethod
    def send(connection, first, payload):
        mask = os.urandom(4)
        length = len(payload)
        announced = bytes([first, 0x80 | length]) if length < 126 else struct.pack(">BBH", first, 0x80 | 126, length)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        connection.sendall(announced + mask + masked)

    @staticmethod
    def receive(stream):
        first, length = stream.read(2)
        if length == 126:
            (length,) = struct.unpack(">H", stream.read(2))
        return first, stream.read(length)


class SlowReader(Client):
    """Takes a large answer byte by byte, and gives up."""

    def turn(self, stopping):
        path = f"/right/5000000/{random.randrange(1 << 30)}"
        with self.connect("well.test", False, SO_RCVBUF=8192) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: well.test\r\n\r\n".encode())
            received = b""
            for _ in range(400):
                piece = connection.recv(64 if b"\r\n\r\n" not in received else 1)
                received += piece
                if not piece or stopping.wait(0.02):
                    break
            body = received.partition(b"\r\n\r\n")[2]
            self.book.note("slow reader", None if body_of(path).startswith(body) else "another body")


class SlowWriter(Client):
    """Sends a request byte by byte."""

    def turn(self, stopping):
        sent = os.urandom(10).hex()
        request = f"POST /right/20/x HTTP/1.1\r\nHost: well.test\r\nContent-Length: 20\r\n\r\n{sent}"
        with self.connect("well.test", False) as connection:
            for byte in request.encode():
                connection.sendall(bytes([byte]))
                if stopping.wait(0.02):
                    return
            received = b""
            while not received.endswith(sent.encode()):
                piece = connection.recv(4096)
                if not piece:
                    break
                received += piece
            right = received.startswith(b"HTTP/1.1 200 ") and received.endswith(sent.encode())
            self.book.note("slow writer", None if right else repr(received[:200]))


class Aborter(Client):
    """Leaves in the middle: of a head, of a body, of an answer; by FIN or by RST."""

    def turn(self, stopping):
        tls = random.random() < 0.3
        with self.connect("well.test", tls) as connection:
            request = random.choice((
                "GET /right/10/x HTTP/1.1\r\nHost: wel",
                "POST /right/10/x HTTP/1.1\r\nHost: well.test\r\nContent-Length: 100000\r\n\r\nabc",
                "GET /right/3000000/x HTTP/1.1\r\nHost: well.test\r\n\r\n",
                "GET /trickle/20000/x HTTP/1.1\r\nHost: well.test\r\n\r\n",
                "GET /silent/10/x HTTP/1.1\r\nHost: faulty.test\r\n\r\n",
                "",
            ))
            if tls:
                request = request.replace("faulty.test", "well.test").replace("/silent", "/trickle")
            connection.sendall(request.encode())
            stopping.wait(random.random() * 0.1)
            if random.random() < 0.5:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.book.note("left in the middle")


class StreamAborter(Client):
    """HTTP/2 clients that leave with their requests under way."""

    def turn(self, stopping):
        url = f"http://127.0.0.1:{self.soak.port}/trickle/20000/x"
        command = ["h2load", "-c4", "-m20", "-D10", "-H", ":authority: well.test", url]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stopping.wait(random.random())
        process.kill()
        process.wait()
        self.book.note("left in the middle, HTTP/2")
        stopping.wait(0.5)


def client_threads(soak, book, stopping):
    good, faults = GOOD, tuple(FAULTS)
    clients = [KeepAlive(soak, book, "well", good, tls=number % 2 == 1) for number in range(6)]
    clients += [KeepAlive(soak, book, "faulty", faults, tls=number % 2 == 1) for number in range(6)]
    clients += [KeepAlive(soak, book, "mortal", good, pause=0.05) for _ in range(2)]
    clients += [KeepAlive(soak, book, "nobody", good, pause=0.2)]
    clients += [Multiplexed(soak, book, tls) for tls in (False, True, False, False)]
    clients += [WebSocket(soak, book, tls) for tls in (False, True, False)]
    clients += [SlowReader(soak, book) for _ in range(4)] + [SlowWriter(soak, book) for _ in range(4)]
    clients += [Aborter(soak, book) for _ in range(4)] + [StreamAborter(soak, book)]
    return [threading.Thread(target=client.run, args=(stopping,)) for client in clients]


def tls_context(directory):
    context = ssl.create_default_context(cafile=str(directory / "certificate.pem"))
    context.set_alpn_protocols(["http/1.1"])
    return context
