"""A backend whose requests are traced. It prints its port and serves until its standard input ends.

Usage: observed_backend.py TOKEN

TOKEN is what it gives for a refresh, and the only one that it takes on /again.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = sys.argv[1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/lost":
            self.close_connection = True
        elif path == "/fails":
            self.answer(b"it failed", 500)
        elif path == "/again" and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer(b"not that one", 401)
        else:
            fields = [[name.lower(), value] for name, value in self.headers.items()]
            self.answer(json.dumps({"target": self.path, "fields": fields}).encode())

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(json.dumps({"token": TOKEN}).encode())

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
