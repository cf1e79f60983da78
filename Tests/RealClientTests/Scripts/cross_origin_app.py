"""An app behind a gateway, and the sites whose pages call it. It prints its port and serves until its standard input
ends.
"""

import base64
import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Page</title><link rel=icon href='data:,'><h1>Page</h1>"
WEBSOCKET = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# What the app has seen, but for questions after it: method, path and caller.
seen = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        if self.path == "/open/page":
            return self.answer("text/html", PAGE)
        # Browsers ask for it on their own.
        if self.path == "/favicon.ico":
            return self.answer("text/plain", "")
        if self.path == "/open/seen":
            return self.answer("application/json", json.dumps(seen))
        self.act()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.act()

    do_PUT = do_OPTIONS = do_POST

    def act(self):
        seen.append([self.command, self.path, self.headers.get("X-User-Id", "")])
        if self.headers.get("Upgrade") == "websocket":
            return self.greet()
        # As apps did before they had a gateway: every origin may read it.
        origin = self.headers.get("Origin", "*")
        self.answer("application/json", json.dumps({"user": self.headers.get("X-User-Id")}), **{
            "X-Total": "3", "X-Hidden": "4", "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Credentials": "true"})

    def greet(self):
        accept = hashlib.sha1(self.headers["Sec-WebSocket-Key"].encode() + WEBSOCKET).digest()
        self.send_response(101)
        for name, value in [("Connection", "Upgrade"), ("Upgrade", "websocket"),
                            ("Sec-WebSocket-Accept", base64.b64encode(accept).decode())]:
            self.send_header(name, value)
        self.end_headers()
        text = self.headers.get("X-User-Id", "").encode()
        self.wfile.write(bytes([0x81, len(text)]) + text + b"\x88\x02\x03\xe8")
        self.close_connection = True

    def answer(self, kind, text, **fields):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
