"""What is behind a gateway that people sign in at, and before it: the backend, and the site of the app that sends them.

It prints its port and serves until its standard input ends.
"""

import html
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>App</title><link rel=icon href='data:,'><h1>{}</h1>{}"


# What the frames of sign-outs were sent with.
told = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path in ["/back", "/welcome", "/home"]:
            self.answer("text/html", PAGE.format("Back in the app", ""))
        elif url.path == "/frame":
            source = html.escape(urllib.parse.parse_qs(url.query)["url"][0])
            self.answer("text/html", PAGE.format("Framing", f"<iframe src='{source}' width=400 height=400></iframe>"))
        elif url.path == "/gone":
            told.append(dict(urllib.parse.parse_qsl(url.query)))
            self.answer("text/html", PAGE.format("Signed out", ""))
        elif url.path == "/told":
            self.answer("application/json", json.dumps(told))
        elif url.path == "/seen":
            fields = [[name.lower(), value] for name, value in self.headers.items()]
            self.answer("application/json", json.dumps({"fields": fields}))
        else:
            self.answer("text/plain", "ok")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        posted = json.dumps(dict(urllib.parse.parse_qsl(body)))
        self.answer("text/html", PAGE.format("Back in the app", f"<p id=posted>{html.escape(posted)}</p>"))

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
