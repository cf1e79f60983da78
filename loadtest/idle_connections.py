#!/usr/bin/env python3
"""Opens many keep-alive connections to a running gateway, one request each, and tells what an idle one costs.

It serves the backend that its configuration names itself; see README.md.
"""

import argparse
import resource
import selectors
import socket
import sys
import threading
import time

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  threads: 1
  limits: {{ connections: {limit}, idle_timeout: 10m }}
  log: {{ access: false }}
tenants:
  idle:
    hosts: [idle.test]
    backend: {{ servers: ["http://127.0.0.1:{backend_port}"] }}
    authenticate:
      from: [bearer]
      issuers:
        - {{ issuer: "https://id.test", audiences: [idle], algorithms: [HS256], secret: "{secret}" }}
    access:
      - {{ path: /**, allow: anyone }}
"""
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
REQUEST = b"GET / HTTP/1.1\r\nHost: idle.test\r\n\r\n"
# Ephemeral ports of one source address; Linux has some 28,000 of them by default.
CONNECTIONS_AN_ADDRESS = 20_000
# The backend is asked over few connections, so that the gateway's memory is that of its clients.
AT_ONCE = 64
# From Linux's in.h: the port is chosen at connect, so that ports of an earlier run that still wait can be had again.
IP_BIND_ADDRESS_NO_PORT = 24


def options():
    parser = argparse.ArgumentParser(description="Memory of idle keep-alive connections.")
    parser.add_argument("--print-config", action="store_true", help="print a tenants.yaml to run against, and end")
    parser.add_argument("--pid", type=int, help="process id of the gateway")
    parser.add_argument("--count", type=int, default=20_000, help="connections (default 20000)")
    parser.add_argument("--port", type=int, default=8191, help="the gateway's port on 127.0.0.1 (default 8191)")
    parser.add_argument("--backend-port", type=int, default=9791, help="port to serve the backend on (default 9791)")
    parser.add_argument("--settle", type=float, default=2, help="seconds of quiet before memory is read (default 2)")
    chosen = parser.parse_args()
    if chosen.print_config:
        limit = max(chosen.count + 1000, 50_000)
        secret = "only-for-load-tests-" + "0123456789" * 3
        ports = {"port": chosen.port, "backend_port": chosen.backend_port}
        print(CONFIGURATION.format(**ports, limit=limit, secret=secret), end="")
        sys.exit(0)
    if chosen.pid is None:
        parser.error("--pid is needed")
    if chosen.count < 1:
        parser.error("--count must be at least 1")
    return chosen


def allow_descriptors(needed):
    """Raises RLIMIT_NOFILE as far as it takes, beyond its hard limit where the user may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= needed:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(hard, needed)))
    except (ValueError, OSError):
        sys.exit(f"{needed} open files are needed, {hard} allowed: raise that with ulimit -n as root, or lower --count")


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"no VmRSS of process {pid}")


def serve_backend(port):
    """Answers every request on every connection, on a thread of its own."""
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)

    def run():
        selector = selectors.DefaultSelector()
        selector.register(listener, selectors.EVENT_READ)
        unread = {}
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    connection, _ = listener.accept()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(connection, selectors.EVENT_READ)
                    continue
                answer(selector, key.fileobj, unread)

    def answer(selector, connection, unread):
        try:
            received = connection.recv(65536)
            if received:
                heads = (unread.pop(connection, b"") + received).split(b"\r\n\r\n")
                unread[connection] = heads.pop()
                connection.sendall(ANSWER * len(heads))
                return
        except OSError:
            pass
        unread.pop(connection, None)
        selector.unregister(connection)
        connection.close()

    threading.Thread(target=run, daemon=True).start()


def source_address(number):
    return f"127.0.0.{2 + number // CONNECTIONS_AN_ADDRESS}"


def open_some(port, numbers):
    """Opens a batch and waits until each connection has had its answer."""
    batch = []
    for number in numbers:
        connection = socket.socket()
        connection.settimeout(20)
        connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        connection.bind((source_address(number), 0))
        connection.connect(("127.0.0.1", port))
        connection.sendall(REQUEST)
        batch.append(connection)
    for connection in batch:
        answer = b""
        while not answer.endswith(b"\r\n\r\nok"):
            received = connection.recv(4096)
            answer += received
            if not received or not answer.startswith(b"HTTP/1.1 200 "):
                sys.exit(f"unexpected answer: {answer!r}")
    return batch


def still_open(connections):
    """How many the gateway has not closed."""
    count = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            if connection.recv(1):
                count += 1
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


def main():
    chosen = options()
    allow_descriptors(chosen.count + 256)
    serve_backend(chosen.backend_port)
    try:
        # What the first requests make the gateway set up is not the price of a connection.
        for connection in open_some(chosen.port, range(AT_ONCE)):
            connection.close()
        time.sleep(chosen.settle)
        before = resident_bytes(chosen.pid)
        began = time.monotonic()
        connections = []
        for start in range(0, chosen.count, AT_ONCE):
            connections += open_some(chosen.port, range(start, min(start + AT_ONCE, chosen.count)))
        took = time.monotonic() - began
    except OSError as error:
        sys.exit(f"{error}: is the gateway running on this configuration, with enough open files (ulimit -n)?")
    time.sleep(chosen.settle)
    during = resident_bytes(chosen.pid)
    alive = still_open(connections)
    print(f"connections opened      {len(connections)} in {took:.1f} s, {alive} still open")
    print(f"resident before         {before / 2**20:.1f} MiB")
    print(f"resident with all idle  {during / 2**20:.1f} MiB")
    print(f"growth a connection     {(during - before) / len(connections):.0f} bytes")
    for connection in connections:
        connection.close()
    time.sleep(chosen.settle)
    after = resident_bytes(chosen.pid)
    print(f"resident after closing  {after / 2**20:.1f} MiB, {(after - before) / 2**20:+.1f} MiB against before")
    if alive < len(connections):
        sys.exit(f"the gateway closed {len(connections) - alive} connections on its own")


if __name__ == "__main__":
    main()
