"""A client of one HTTP/1.1 server for load tests: a tenth of the CPU time of http.client, which would slow down what it measures.

Responses without a Content-Length are errors: what these tests ask for has one.
"""

import socket
import threading


class PlainClient:
    """Connections to one port of this machine, one for each thread; a closed one is opened anew."""

    def __init__(self, port):
        self.port, self.kept = port, threading.local()

    def ask(self, method, path, host=None, body=None, fields=None):
        """Gives status, fields (lower-case names) and body. OSError and ValueError say what failed."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{name}: {value}" for name, value in (fields or {}).items()]
        content = body.encode() if body is not None else b""
        if body is not None:
            lines.append(f"Content-Length: {len(content)}")
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + content
        for attempt in (1, 2):
            is_new = getattr(self.kept, "socket", None) is None
            try:
                if is_new:
                    self.kept.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
                    self.kept.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.kept.socket.sendall(request)
                return self.response()
            except (OSError, ValueError):
                self.close()
                # Between two requests a server may close a connection.
                if is_new or attempt == 2:
                    raise
        return None

    def close(self):
        if getattr(self.kept, "socket", None) is not None:
            self.kept.socket.close()
            self.kept.socket = None

    def response(self):
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self.more()
        status, *lines = received[:end].decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if "content-length" not in fields:
            raise ValueError(f"a response without a length: {received[:end]!r}")
        length, body = int(fields["content-length"]), received[end + 4:]
        while len(body) < length:
            body += self.more()
        if fields.get("connection", "").lower() == "close":
            self.close()
        return int(status.split()[1]), fields, body[:length]

    def more(self):
        part = self.kept.socket.recv(65536)
        if not part:
            raise ConnectionResetError("the connection was closed")
        return part
