"""The app behind the gateway in load tests: it refreshes tokens, publishes keys and sends WebSocket messages back.

One process with two ports. On the first, by path: /jwks gives the key set, /refresh a new token for the bearer's after
so many milliseconds, /books what was asked since the last time, PUT /jwks and PUT /delay change what is given, and
everything else is answered 200. The second sends each WebSocket message back (RFC 6455).
"""

import asyncio
import base64
import hashlib
import json
import multiprocessing
import socket
import time

from faulty_backend import WEBSOCKET_GUID
from refresh_storm import Message, claims_of, minted


class Books:
    def __init__(self):
        self.key_set, self.delay, self.lifetime = b'{"keys":[]}', 0.03, 3600
        self.under_way = 0
        self.begin()

    def begin(self):
        self.calls, self.most, self.sessions, self.fetches, self.others = 0, 0, set(), 0, 0

    def told(self):
        told = {"calls": self.calls, "most": self.most, "sessions": len(self.sessions), "fetches": self.fetches,
                "others": self.others}
        self.begin()
        return json.dumps(told).encode()


class Desk(Message):
    def __init__(self, books):
        self.books = books

    def message(self, line, fields, body):
        method, path, _ = line.split(b" ")
        books = self.books
        if method == b"PUT":
            if path == b"/jwks":
                books.key_set = body
            else:
                books.delay = float(body)
            self.answer(b"")
        elif path == b"/jwks":
            books.fetches += 1
            self.answer(books.key_set, b"Content-Type: application/json\r\nCache-Control: max-age=300\r\n")
        elif path == b"/books":
            self.answer(books.told())
        elif path == b"/refresh":
            self.refresh(claims_of(fields[b"authorization"].removeprefix(b"Bearer ")))
        else:
            books.others += 1
            self.answer(b"ok")

    def refresh(self, claims):
        books = self.books
        books.calls += 1
        books.under_way += 1
        books.most = max(books.most, books.under_way)
        books.sessions.add(claims["sid"])
        asyncio.get_running_loop().call_later(books.delay, self.refreshed, claims)

    def refreshed(self, claims):
        self.books.under_way -= 1
        new = minted(claims["sid"], int(time.time()) + 3600, int(claims["jti"]) + 1)
        self.answer(b'{"token":"' + new + b'"}')

    def answer(self, body, fields=b""):
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (fields, len(body), body))


class Echo(asyncio.Protocol):
    """Messages of less than 126 bytes, each in one frame."""

    def connection_made(self, transport):
        self.transport, self.received, self.is_open = transport, b"", False

    def data_received(self, data):
        self.received += data
        if not self.is_open:
            if b"\r\n\r\n" not in self.received:
                return
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            # A key is not in lower case.
            place = head.lower().index(b"sec-websocket-key: ") + 19
            accept = base64.b64encode(hashlib.sha1(head[place:].split(b"\r\n")[0] + WEBSOCKET_GUID).digest())
            if fields.get(b"upgrade") != b"websocket":
                return self.transport.close()
            self.transport.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            self.is_open = True
        while len(self.received) >= 6 and len(self.received) >= 6 + (self.received[1] & 0x7F):
            length = self.received[1] & 0x7F
            mask, payload = self.received[2:6], self.received[6:6 + length]
            first, self.received = self.received[0], self.received[6 + length:]
            self.transport.write(bytes([first, length])
                                 + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload)))
            if first & 0x0F == 8:
                self.transport.close()


def serve(port, echo_port):
    async def run():
        loop, books = asyncio.get_running_loop(), Books()
        await loop.create_server(lambda: Desk(books), "127.0.0.1", port, backlog=1024)
        await loop.create_server(Echo, "127.0.0.1", echo_port, backlog=16384)
        await loop.create_future()

    asyncio.run(run())


def start(port, echo_port):
    """Serves in a process of its own, from the return on."""
    process = multiprocessing.Process(target=serve, args=(port, echo_port), daemon=True)
    process.start()
    for each in (port, echo_port):
        while True:
            try:
                socket.create_connection(("127.0.0.1", each), timeout=1).close()
                break
            except OSError:
                if not process.is_alive():
                    raise
                time.sleep(0.02)
    return process
