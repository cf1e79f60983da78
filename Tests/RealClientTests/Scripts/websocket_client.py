"""A WebSocket client by the `websockets` library: websocket_client.py SCENARIO URL PORT [KEY=VALUE...].

The connection goes to PORT on loopback, whatever host URL names. Prints one line of JSON.
Options: ca (a PEM file, for wss), token (sent as bearer), subprotocols (with commas between them).
"""

import asyncio
import json
import random
import ssl
import sys
import urllib.parse

try:
    import websockets
except ImportError:
    sys.exit("install the Debian package python3-websockets")


async def echo(socket):
    payload = random.Random(7).randbytes(1 << 20)
    await socket.send("grüße")
    text = await socket.recv()
    await socket.send(payload)
    binary = await socket.recv() == payload
    await socket.send(["in ", "three ", "fragments"])
    fragments = await socket.recv()
    pong = await socket.ping(b"there?")
    await asyncio.wait_for(pong, 10)
    many = [str(number) for number in range(1000)]
    for message in many:
        await socket.send(message)
    in_order = [await socket.recv() for _ in many] == many
    return {"text": text, "binary": binary, "fragments": fragments, "in_order": in_order}


async def close(socket):
    await socket.close(4001, "enough")
    return {"code": socket.close_code, "reason": socket.close_reason}


async def be_closed(socket):
    await socket.send("close 4002")
    await socket.wait_closed()
    return {"code": socket.close_code, "reason": socket.close_reason}


async def wait(socket):
    await socket.send("before")
    echoed = await socket.recv()
    await socket.wait_closed()
    return {"echoed": echoed, "code": socket.close_code, "reason": socket.close_reason}


async def look(socket):
    return {"subprotocol": socket.subprotocol}


SCENARIOS = {"echo": echo, "close": close, "be_closed": be_closed, "wait": wait, "look": look}


async def main(scenario, url, port, **options):
    arguments = {"host": "127.0.0.1", "port": int(port), "max_size": None, "ping_interval": None}
    if "ca" in options:
        arguments["ssl"] = ssl.create_default_context(cafile=options["ca"])
        arguments["server_hostname"] = urllib.parse.urlsplit(url).hostname
    if "token" in options:
        arguments["extra_headers"] = {"Authorization": "Bearer " + options["token"]}
    if "subprotocols" in options:
        arguments["subprotocols"] = options["subprotocols"].split(",")
    try:
        async with websockets.connect(url, **arguments) as socket:
            return await SCENARIOS[scenario](socket)
    except websockets.InvalidStatusCode as refusal:
        return {"status": refusal.status_code, "challenge": refusal.headers.get("WWW-Authenticate")}


options = dict(option.split("=", 1) for option in sys.argv[4:])
print(json.dumps(asyncio.run(main(*sys.argv[1:4], **options))))
