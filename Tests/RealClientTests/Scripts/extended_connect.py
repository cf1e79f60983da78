"""A WebSocket over HTTP/2 (RFC 8441) by the `h2` library: extended_connect.py PORT AUTHORITY PATH [KEY=VALUE...].

Prints one line of JSON: what the settings say, the answer's fields, and what came of the frames sent.
Options: ca (a PEM file: TLS with ALPN), token (sent as bearer), wait (until the gateway closes), version, protocol.
"""

import json
import os
import socket
import ssl
import struct
import sys

try:
    import h2.config
    import h2.connection
    import h2.events
    import h2.settings
except ImportError:
    sys.exit("install the Debian package python3-h2")

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA


def frame(opcode, payload):
    """A frame of a client (RFC 6455 section 5.2)."""
    mask = os.urandom(4)
    if len(payload) < 126:
        length = struct.pack("!B", 0x80 | len(payload))
    elif len(payload) < 1 << 16:
        length = struct.pack("!BH", 0x80 | 126, len(payload))
    else:
        length = struct.pack("!BQ", 0x80 | 127, len(payload))
    masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return bytes([0x80 | opcode]) + length + mask + masked


class Client:
    def __init__(self, port, authority, ca):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        if ca:
            context = ssl.create_default_context(cafile=ca)
            context.set_alpn_protocols(["h2"])
            self.socket = context.wrap_socket(self.socket, server_hostname=authority)
            assert self.socket.selected_alpn_protocol() == "h2"
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.flush()
        self.settings = None
        self.answer = None
        self.received = bytearray()
        self.ended = False
        self.reset = None

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def read(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("the gateway closed the connection")
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.RemoteSettingsChanged):
                connect = event.changed_settings.get(h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL)
                self.settings = {"enable_connect_protocol": connect.new_value if connect else 0}
            elif isinstance(event, h2.events.ResponseReceived):
                self.answer = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                self.received += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                self.ended = True
            elif isinstance(event, h2.events.StreamReset):
                self.ended, self.reset = True, int(event.error_code)
        self.flush()

    def until(self, condition):
        while not condition():
            self.read()

    def send(self, stream, data):
        while data:
            self.until(lambda: self.h2.local_flow_control_window(stream) > 0)
            count = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size, len(data))
            self.h2.send_data(stream, data[:count])
            self.flush()
            data = data[count:]

    def exactly(self, count):
        self.until(lambda: len(self.received) >= count or self.ended)
        taken = bytes(self.received[:count])
        del self.received[:count]
        return taken

    def frame(self):
        """The next frame of the server: its opcode and payload."""
        first, second = self.exactly(2)
        assert second < 0x80, "a server's frame is masked"
        length = second
        if length >= 126:
            length = int.from_bytes(self.exactly(2 if length == 126 else 8), "big")
        return first & 0x0F, self.exactly(length)


def close_of(payload):
    return {"code": int.from_bytes(payload[:2], "big"), "reason": payload[2:].decode()}


def main(port, authority, path, ca=None, token=None, wait=None, version="13", protocol="websocket"):
    client = Client(int(port), authority, ca)
    client.until(lambda: client.settings is not None)
    result = {"settings": client.settings}
    fields = [
        (":method", "CONNECT"), (":protocol", protocol), (":scheme", "https" if ca else "http"),
        (":path", path), (":authority", authority), ("sec-websocket-version", version),
        ("origin", "https://app.example"),
    ]
    if token:
        fields.append(("authorization", "Bearer " + token))
    stream = client.h2.get_next_available_stream_id()
    client.h2.send_headers(stream, fields)
    client.flush()
    client.until(lambda: client.answer is not None or client.ended)
    result["answer"], result["reset"] = client.answer, client.reset
    if not client.answer or client.answer[":status"] != "200":
        client.until(lambda: client.ended)
        result["body"] = client.received.decode()
        return result

    client.send(stream, frame(TEXT, "over HTTP/2".encode()))
    result["text"] = client.frame()[1].decode()
    payload = os.urandom(1 << 20)
    client.send(stream, frame(BINARY, payload))
    result["binary"] = client.frame() == (BINARY, payload)
    client.send(stream, frame(PING, b"there?"))
    result["pong"] = client.frame() == (PONG, b"there?")
    if not wait:
        client.send(stream, frame(CLOSE, struct.pack("!H", 4001)))
    opcode, payload = client.frame()
    assert opcode == CLOSE, opcode
    result["close"] = close_of(payload)
    client.until(lambda: client.ended)
    result["reset"] = client.reset
    result["behind"] = len(client.received)
    # The connection goes on: the tunnel was a stream of it.
    client.answer, client.ended = None, False
    other = client.h2.get_next_available_stream_id()
    client.h2.send_headers(other, [
        (":method", "GET"), (":scheme", "https" if ca else "http"), (":path", "/not/open"), (":authority", authority),
    ], end_stream=True)
    client.flush()
    client.until(lambda: client.ended)
    result["afterwards"] = client.answer[":status"]
    return result


options = dict(option.split("=", 1) for option in sys.argv[4:])
print(json.dumps(main(*sys.argv[1:4], **options)))
