"""An HTTP/1.1 backend for real clients. It prints its port and serves until its standard input ends.

A line on standard input lets a request for /open/held go on.
"""

import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

released = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A small answer behind a small head would wait for the other side's delayed acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/open/seen":
            fields = [[name.lower(), value] for name, value in self.headers.items()]
            self.answer(json.dumps({"target": self.path, "fields": fields}).encode())
        elif path == "/open/large":
            self.answer(bytes(range(256)) * (10 << 12))
        elif path == "/open/tagged" and self.headers.get("If-None-Match") == '"v1"':
            self.send_response(304)
            self.send_header("ETag", '"v1"')
            self.end_headers()
        elif path == "/open/tagged":
            self.answer(b"version 1", ETag='"v1"')
        elif path == "/open/trailers":
            self.chunks([b"with ", b"trailers"], "X-Checksum: 42")
        elif path == "/open/held":
            print("held", flush=True)
            released.wait(30)
            self.answer(b"held and answered")
        else:
            self.answer(b"ok")

    do_HEAD = do_GET

    def handle_expect_100(self):
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def do_POST(self):
        body = self.body()
        if self.path == "/open/digest":
            body = hashlib.sha256(body).hexdigest().encode()
        self.answer(body)

    do_PUT = do_POST

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(pieces)

    def answer(self, body, **fields):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunks(self, pieces, trailer):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n%s\r\n\r\n" % trailer.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 512


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
for _ in sys.stdin:
    released.set()
