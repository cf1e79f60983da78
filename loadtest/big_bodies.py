#!/usr/bin/env python3
"""Uploads and downloads a large body through a running gateway, and tells how much memory that took it.

It serves the backend that its configuration names itself; see README.md.
"""

import argparse
import http.client
import re
import socket
import sys
import threading
import time

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  threads: 1
  log: {{ access: false }}
tenants:
  bodies:
    hosts: [bodies.test]
    backend: {{ servers: ["http://127.0.0.1:{backend_port}"] }}
    limits: {{ body_bytes: {limit} }}
    authenticate:
      from: [bearer]
      issuers:
        - {{ issuer: "https://id.test", audiences: [bodies], algorithms: [HS256], secret: "{secret}" }}
    access:
      - {{ path: /**, allow: anyone }}
"""
PIECE = 256 << 10
MIB = 1 << 20


def options():
    parser = argparse.ArgumentParser(description="Memory and throughput of large bodies.")
    parser.add_argument("--print-config", action="store_true", help="print a tenants.yaml to run against, and end")
    parser.add_argument("--pid", type=int, help="process id of the gateway")
    parser.add_argument("--mebibytes", type=int, default=1024, help="size of the body each way (default 1024)")
    parser.add_argument("--bound", type=int, default=64, help="growth allowed to the gateway, in MiB (default 64)")
    parser.add_argument("--slow-mib", type=float, help="MiB/s that the reading side takes, to see back-pressure work")
    parser.add_argument("--port", type=int, default=8192, help="the gateway's port on 127.0.0.1 (default 8192)")
    parser.add_argument("--backend-port", type=int, default=9792, help="port to serve the backend on (default 9792)")
    chosen = parser.parse_args()
    if chosen.print_config:
        limit = f"{chosen.mebibytes + 1}MiB"
        secret = "only-for-load-tests-" + "0123456789" * 3
        ports = {"port": chosen.port, "backend_port": chosen.backend_port}
        print(CONFIGURATION.format(**ports, limit=limit, secret=secret), end="")
        sys.exit(0)
    if chosen.pid is None:
        parser.error("--pid is needed")
    return chosen


class Memory:
    """Samples the gateway's resident memory while it is watched."""

    def __init__(self, pid):
        self.path = f"/proc/{pid}/status"
        self.before = self.now()

    def now(self):
        with open(self.path, encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        raise RuntimeError(f"no VmRSS in {self.path}")

    def __enter__(self):
        self.most = self.now()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def sample(self):
        while not self.ended.wait(0.02):
            self.most = max(self.most, self.now())

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.most = max(self.most, self.now())


class Pace:
    """Holds a reader back to so many bytes a second; no rate: not at all."""

    def __init__(self, mebibytes_a_second):
        self.rate = mebibytes_a_second and mebibytes_a_second * MIB
        self.began = time.monotonic()
        self.count = 0

    def took(self, count):
        if self.rate:
            self.count += count
            time.sleep(max(0, self.began + self.count / self.rate - time.monotonic()))


def serve_backend(port, slow_mib):
    """PUT is read to its end and answered with its length, GET /N answered with N bytes."""
    listener = socket.create_server(("127.0.0.1", port))
    block = bytes(PIECE)

    def sink(connection, stream, length):
        pace, room, read = Pace(slow_mib), bytearray(PIECE), 0
        while read < length:
            count = stream.readinto1(memoryview(room)[: length - read])
            if not count:
                return
            read += count
            pace.took(count)
        text = str(read).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))

    def source(connection, length):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length)
        for start in range(0, length, PIECE):
            connection.sendall(memoryview(block)[: length - start])

    def serve(connection):
        try:
            with connection, connection.makefile("rb", buffering=PIECE) as stream:
                while line := stream.readline():
                    head = line
                    while line not in (b"\r\n", b""):
                        line = stream.readline()
                        head += line
                    if head.startswith(b"PUT "):
                        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)\r\n", head)
                        sink(connection, stream, int(length[1]))
                    else:
                        source(connection, int(head.split(b" ")[1][1:]))
        except OSError:
            pass

    def run():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()


def upload(port, length):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest("PUT", "/upload", skip_host=True)
    connection.putheader("Host", "bodies.test")
    connection.putheader("Content-Length", str(length))
    connection.endheaders()
    block = bytes(PIECE)
    for start in range(0, length, PIECE):
        connection.send(memoryview(block)[: length - start])
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status != 200 or text != str(length).encode():
        sys.exit(f"upload: {response.status} {text[:300]!r}")


def download(port, length, slow_mib):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest("GET", f"/{length}", skip_host=True)
    connection.putheader("Host", "bodies.test")
    connection.endheaders()
    response = connection.getresponse()
    if response.status != 200:
        sys.exit(f"download: {response.status} {response.read(300)!r}")
    pace, room, read = Pace(slow_mib), bytearray(PIECE), 0
    while count := response.readinto(room):
        read += count
        pace.took(count)
    connection.close()
    if read != length:
        sys.exit(f"download: {read} bytes of {length}")


def main():
    chosen = options()
    serve_backend(chosen.backend_port, chosen.slow_mib)
    length = chosen.mebibytes * MIB
    ways = [
        ("upload", lambda length: upload(chosen.port, length)),
        ("download", lambda length: download(chosen.port, length, chosen.slow_mib)),
    ]
    worst = 0
    try:
        # What the first requests make the gateway set up is not the price of a body.
        for _, run in ways:
            run(1)
        memory = Memory(chosen.pid)
        for name, run in ways:
            with memory:
                began = time.monotonic()
                run(length)
                took = time.monotonic() - began
            growth = memory.most - memory.before
            worst = max(worst, growth)
            print(f"{name:8} {chosen.mebibytes} MiB in {took:.1f} s, {chosen.mebibytes / took:.0f} MiB/s;", end=" ")
            print(f"resident at most {memory.most / MIB:.1f} MiB, {growth / MIB:+.1f} MiB against before")
    except OSError as error:
        sys.exit(f"{error}: is the gateway running on this configuration?")
    if worst > chosen.bound * MIB:
        sys.exit(f"the gateway grew by more than {chosen.bound} MiB")


if __name__ == "__main__":
    main()
