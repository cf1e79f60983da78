#!/usr/bin/env python3
"""A backend for load tests whose answers follow from the path, and which fails as the path tells it to.

Usage: faulty_backend.py PORT

A path is /KIND/LENGTH/ANYTHING. The right body is `body_of(path, user)`, with the user that `X-User-Id` names: whoever
asked can tell whether the answer is his own. See FAULTS and `answer` for the kinds.
"""

import asyncio
import base64
import hashlib
import os
import socket
import struct
import sys

FAULTS = {
    "dies": "half of a body with a length, then a FIN",
    "dies-chunked": "half of a chunked body, then a FIN",
    "dies-unmarked": "half of a body without a length, then a reset",
    "silent": "nothing",
    "stalls": "half of the body, then nothing",
    "resets": "a reset before the first byte",
    "resets-head": "a reset inside the head",
    "garbage": "bytes that are no HTTP",
    "two-lengths": "a head with two lengths",
    "huge-head": "a head of a mebibyte",
}
WEBSOCKET_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def body_of(path, user=""):
    length = int(path.split("/")[2])
    block = hashlib.sha256(f"{path} {user}".encode()).hexdigest().encode()
    return (block * (length // len(block) + 1))[:length]


def reset(writer):
    """Ends the connection by a RST."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def until_closed(reader):
    while await reader.read(65536):
        pass


async def answer(kind, path, user, reader, writer):
    """Gives whether the connection can be used again."""
    body = body_of(path, user)
    counted = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    half = body[: len(body) // 2]
    if kind in ("right", "private"):
        writer.write(counted + body)
        return True
    if kind in ("chunked", "dies-chunked"):
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in range(0, len(half if kind == "dies-chunked" else body), 1000):
            piece = body[start : start + 1000]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if kind == "chunked":
            writer.write(b"0\r\n\r\n")
        return kind == "chunked"
    if kind == "unmarked":
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + body)
        return False
    if kind == "trickle":
        writer.write(counted)
        for start in range(0, len(body), 1 + len(body) // 20):
            writer.write(body[start : start + 1 + len(body) // 20])
            await writer.drain()
            await asyncio.sleep(0.05)
        return True
    beginnings = {
        "dies": counted + half,
        "dies-unmarked": b"HTTP/1.1 200 OK\r\n\r\n" + half,
        "silent": b"",
        "stalls": counted + half,
        "resets": b"",
        "resets-head": b"HTTP/1.1 200 OK\r\nContent-Le",
        "garbage": b"\x16\x03\x01 this is not HTTP\r\n\r\n",
        "two-lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "huge-head": b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * (1 << 20),
    }
    writer.write(beginnings[kind])
    await writer.drain()
    if kind in ("silent", "stalls"):
        await until_closed(reader)
    elif kind in ("resets", "resets-head", "dies-unmarked"):
        # What was written has to be on its way before the reset overtakes it.
        await asyncio.sleep(0.01)
        reset(writer)
    return False


async def echo_frames(fields, reader, writer):
    """A WebSocket (RFC 6455) whose messages are sent back, until the client closes it."""
    accept = base64.b64encode(hashlib.sha1(fields["sec-websocket-key"].encode() + WEBSOCKET_GUID).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: %s\r\n\r\n" % accept
    )
    while True:
        first, second = await reader.readexactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", await reader.readexactly(2))
        mask = await reader.readexactly(4)
        payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(await reader.readexactly(length)))
        announced = bytes([first, length]) if length < 126 else bytes([first, 126]) + struct.pack(">H", length)
        writer.write(announced + payload)
        await writer.drain()
        if first & 0x0F == 8:
            return


async def serve(reader, writer):
    try:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = lines[0].split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:-2])}
            if fields.get("upgrade", "").lower() == "websocket":
                return await echo_frames(fields, reader, writer)
            if method == "POST":
                body = await reader.readexactly(int(fields["content-length"]))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            elif not await answer(path.split("/")[1], path, fields.get("x-user-id", ""), reader, writer):
                return
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=4096)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        os._exit(0)
