"""A WebSocket backend by the `websockets` library. It prints its port, and then a line of JSON for each event.

It echoes messages; one that reads `close CODE` is answered by closing with that code.
"""

import asyncio
import json
import sys

try:
    import websockets
except ImportError:
    sys.exit("install the Debian package python3-websockets")


def tell(**event):
    print(json.dumps(event), flush=True)


async def serve(socket):
    fields = [[name.lower(), value] for name, value in socket.request_headers.raw_items()]
    tell(event="opened", target=socket.path, fields=fields, subprotocol=socket.subprotocol)
    try:
        async for message in socket:
            if isinstance(message, str) and message.startswith("close "):
                await socket.close(int(message.split()[1]), "as you wish")
            else:
                await socket.send(message)
    except websockets.ConnectionClosed:
        pass
    tell(event="closed", code=socket.close_code, reason=socket.close_reason)


async def main():
    options = {"subprotocols": ["chat"], "max_size": None, "ping_interval": None}
    async with websockets.serve(serve, "127.0.0.1", 0, **options) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
