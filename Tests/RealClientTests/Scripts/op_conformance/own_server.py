"""A server of the relying party: backend of the provider's tenant, its account hook, and where it tells of logouts."""

import json
import queue
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What the account hook knows of everybody, beside the name and the e-mail address that the sign-in brings.
KNOWN = {"phone_number": "+1 (555) 555-5555", "phone_number_verified": False,
         "address": {"formatted": "1 Loopback Lane", "country": "DE"}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mailbox = queue.Queue()

    def do_GET(self):
        self.answer({name.lower(): value for name, value in self.headers.items()})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/hook":
            self.answer({"subject": f"user-{json.loads(body)['subject']}", "claims": KNOWN})
        else:
            self.mailbox.put(dict(urllib.parse.parse_qsl(body)))
            self.answer({})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start():
    """Returns its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
