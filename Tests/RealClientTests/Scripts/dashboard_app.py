"""An app that takes its time, and now and then fails: it prints its port and serves until its standard input ends."""

import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        # Most answers are quick; a few are not.
        time.sleep(random.lognormvariate(-5, 0.8))
        status = random.choices([200, 304, 404, 500], [90, 5, 4, 0.2])[0]
        body = b"ok" if status != 304 else b""
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
