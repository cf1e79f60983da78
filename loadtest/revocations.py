#!/usr/bin/env python3
"""How long a revocation takes from its acknowledgement at one instance to the refusal at the others, and what a million
of them cost.

Usage: revocations.py PATH-TO-GATEHOUSE [--revocations 1000] [--rate 2000] [--preload 1000000]

Starts a Redis with an append-only file, nginx for a backend and three gateways with one event loop each, all on
loopback. A revocation is told to one of the three in turn; from the moment of its acknowledgement the other two are
asked with a token of the subject, each again and again on a connection of its own, until they refuse. What is printed
is the time until that refusal was read, one value for each of the two: at rest, while h2load asks each instance so many
times a second, and both again after a restart with so many other revocations in Redis. Beside it: revocations
acknowledged a second, by 16 clients at once, and how long a start takes until /readyz, and the resident memory.

The other revocations are put into Redis directly, in the form in which the store keeps them: through the API they would
take many minutes.

Needs redis-server, nginx and h2load, and is to be given a release build. Exits 1 if a revocation took more than a
second, or somebody was refused who was not revoked.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from gateway_process import SECRET, Gateway, end_in_order, require, stop, token, wait_for_port

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "redis://127.0.0.1:{redis}/0"
  threads: 1
  log: {{ level: warning, access: false }}
tenants:
  app:
    hosts: [app.test]
    backend: {{ servers: ["http://127.0.0.1:{backend}"] }}
    authenticate: {{ issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ] }}
"""
NGINX = """\
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""
INSTANCES = 3
MILLISECONDS = 1000


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Connection:
    """Requests one after the other on one connection, with as little between them as Python allows."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def ask(self, request):
        """Gives the status."""
        self.socket.sendall(request)
        while b"\r\n\r\n" not in self.received:
            self.read()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", 0))
        while len(self.received) < length:
            self.read()
        self.received = self.received[length:]
        return int(head[9:12])

    def read(self):
        piece = self.socket.recv(65536)
        if not piece:
            sys.exit("a gateway has closed a connection")
        self.received += piece

    def close(self):
        self.socket.close()


def asking(subject):
    return f"GET / HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer {token(subject)}\r\n\r\n".encode()


def revoking(subject, admin_port):
    body = json.dumps({"tenant": "app", "subject": subject, "for": "1d"})
    return (f"POST /api/revocations HTTP/1.1\r\nHost: 127.0.0.1:{admin_port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


class Fleet:
    """Redis, a backend and the instances, which can be started again."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.redis_port, self.backend_port = free_port(), free_port()
        redis = ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--dir", str(directory),
                 "--save", "", "--appendonly", "yes"]
        self.redis = subprocess.Popen(redis, stdout=subprocess.DEVNULL)
        nginx = directory / "nginx.conf"
        nginx.write_text(NGINX.format(directory=directory, port=self.backend_port))
        self.nginx = subprocess.Popen(["nginx", "-c", nginx, "-e", "/dev/null"], stdout=subprocess.DEVNULL)
        wait_for_port(self.backend_port, self.nginx)
        self.ports = [(free_port(), free_port()) for _ in range(INSTANCES)]
        self.gateways = []

    def start(self):
        """Starts the instances one after the other and gives the seconds until each was ready."""
        seconds = []
        for port, admin in self.ports:
            text = CONFIGURATION.format(port=port, admin=admin, redis=self.redis_port, backend=self.backend_port,
                                        secret=SECRET)
            directory = self.directory / str(port)
            directory.mkdir(exist_ok=True)
            begin = time.monotonic()
            self.gateways.append(Gateway(self.program, text, directory, port, admin))
            self.wait_until_ready(admin)
            seconds.append(time.monotonic() - begin)
        return seconds

    @staticmethod
    def wait_until_ready(admin):
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz", timeout=5).close()
                return
            except (urllib.error.HTTPError, OSError):
                time.sleep(0.01)

    def stop_gateways(self):
        for gateway in self.gateways:
            gateway.stop()
        self.gateways = []

    def stop(self):
        self.stop_gateways()
        # nginx must end in order, or its worker stays.
        self.nginx.terminate()
        self.nginx.wait()
        stop([self.redis])

    def resident(self):
        """Mebibytes, of the largest."""
        return max(gateway.resident() for gateway in self.gateways) / (1 << 20)

    def requests(self, **labels):
        return sum(gateway.metric("gatehouse_requests_total", **labels) for gateway in self.gateways)

    @contextlib.contextmanager
    def load(self, rate):
        """While it lasts, so many requests a second come to each instance."""
        clients = 10
        authorization = f"Authorization: Bearer {token('bystander')}"
        loads = [
            subprocess.Popen(
                ["h2load", "--h1", "-c", str(clients), "--rps", str(rate // clients), "-D", "3600",
                 "-H", ":authority: app.test", "-H", authorization, f"http://127.0.0.1:{port}/"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for port, _ in self.ports
        ]
        time.sleep(1)
        try:
            yield
        finally:
            stop(loads)


class Watcher(threading.Thread):
    """Asks one instance for each subject from its acknowledgement on, until it refuses."""

    def __init__(self, port, place):
        super().__init__(daemon=True)
        self.connection, self.place = Connection(port), place
        self.wanted, self.arrived = threading.Semaphore(0), threading.Semaphore(0)
        self.request, self.acknowledged, self.asked, self.delays = None, 0.0, 0, []

    def ask(self, request):
        """Gives the status."""
        self.asked += 1
        return self.connection.ask(request)

    def run(self):
        while True:
            self.wanted.acquire()
            if self.request is None:
                return
            while self.ask(self.request) != 401:
                pass
            self.delays.append(time.monotonic() - self.acknowledged)
            self.arrived.release()


def arrivals(fleet, count, name):
    """Seconds from acknowledgement to refusal, for each revocation and each instance that was not told; and how many
    requests were made to find out."""
    refused = fleet.requests(status="401")
    watchers = [Watcher(port, place) for place, (port, _) in enumerate(fleet.ports)]
    admins = [Connection(admin) for _, admin in fleet.ports]
    for watcher in watchers:
        watcher.start()
    for turn in range(count):
        subject, told = f"{name}-{turn}", turn % INSTANCES
        request, order = asking(subject), revoking(subject, fleet.ports[told][1])
        others = [watcher for watcher in watchers if watcher.place != told]
        if any(watcher.ask(request) != 200 for watcher in watchers):
            sys.exit(f"{subject} was refused before it was revoked")
        if admins[told].ask(order) != 200:
            sys.exit("a revocation was not acknowledged")
        acknowledged = time.monotonic()
        for watcher in others:
            watcher.request, watcher.acknowledged = request, acknowledged
            watcher.wanted.release()
        for watcher in others:
            if not watcher.arrived.acquire(timeout=30):
                sys.exit(f"{subject} was revoked and gets in after 30 s")
    for watcher in watchers:
        watcher.request = None
        watcher.wanted.release()
        watcher.join()
    for connection in admins + [watcher.connection for watcher in watchers]:
        connection.close()
    delays = sorted(itertools.chain.from_iterable(watcher.delays for watcher in watchers))
    if fleet.requests(status="401") - refused != len(delays):
        sys.exit("somebody was refused who was not revoked")
    return delays, sum(watcher.asked for watcher in watchers)


def acknowledged_a_second(fleet, count, name, clients=16):
    def revoke(client):
        admin = fleet.ports[client % INSTANCES][1]
        connection = Connection(admin)
        for turn in range(count // clients):
            if connection.ask(revoking(f"{name}-{client}-{turn}", admin)) != 200:
                sys.exit("a revocation was not acknowledged")
        connection.close()

    threads = [threading.Thread(target=revoke, args=(client,)) for client in range(clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count // clients * clients / (time.monotonic() - begin)


def preload(port, count):
    """Other subjects' revocations, a thousand a command: records, and when they expire."""
    now = time.time()
    expires, batch = int(now) + 86400, 1000
    connection = socket.create_connection(("127.0.0.1", port))
    replies = connection.makefile("rb")

    def send(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
        connection.sendall(b"".join(parts))
        reply = replies.readline()
        if not reply.startswith(b":"):
            sys.exit(f"Redis says {reply}")

    for start in range(0, count, batch):
        digests = [os.urandom(16).hex().encode() for _ in range(min(batch, count - start))]
        records, expiry = [], []
        for place, digest in enumerate(digests):
            older, sequence = divmod(start + place, 1_000_000)
            note = json.dumps({"kind": "subject", "id": f"other-{start + place}"}, separators=(",", ":"))
            records += [digest, f"{int(now * 1000) - older}-{sequence} {now} {expires}.0 R {note}".encode()]
            expiry += [str(expires).encode(), digest]
        send(b"HSET", b"gatehouse:{app}:revocations", *records)
        send(b"ZADD", b"gatehouse:{app}:revocations:expiry", *expiry)
    connection.close()


def told(name, delays):
    p50, p99, most = (delays[min(len(delays) - 1, int(len(delays) * part))] * MILLISECONDS for part in (0.5, 0.99, 1))
    print(f"{name:<40} {p50:8.2f} ms {p99:8.2f} ms {most:8.2f} ms   of {len(delays)}", flush=True)
    return most < MILLISECONDS


def measure(fleet, count, rate, name):
    is_good = told(f"{name}, at rest", arrivals(fleet, count, f"{name}-rest")[0])
    with fleet.load(rate):
        before, begin = fleet.requests(status="200"), time.monotonic()
        delays, asked = arrivals(fleet, count, f"{name}-load")
        served = fleet.requests(status="200") - before - (asked - len(delays))
        seen = served / (time.monotonic() - begin) / INSTANCES
    if seen < rate / 2:
        sys.exit(f"only {seen:.0f} requests a second were served")
    return told(f"{name}, {seen:.0f} requests/s each", delays) and is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("program", help="gatehouse, built for release")
    parser.add_argument("--revocations", type=int, default=1000, help="how many are timed in each row")
    parser.add_argument("--rate", type=int, default=2000, help="requests a second at each instance")
    parser.add_argument("--preload", type=int, default=1_000_000, help="other revocations in the second half")
    arguments = parser.parse_args()
    require("nginx", "h2load")
    if not shutil.which("redis-server"):
        sys.exit("not found, so: apt-get install redis-server")
    end_in_order()
    with tempfile.TemporaryDirectory() as directory:
        fleet = Fleet(arguments.program, pathlib.Path(directory))
        try:
            is_good = run(fleet, arguments)
        finally:
            fleet.stop()
    sys.exit(0 if is_good else 1)


def run(fleet, arguments):
    print(f"{'from acknowledgement to refusal':<40} {'p50':>11} {'p99':>11} {'max':>11}")
    start = max(fleet.start())
    is_good = measure(fleet, arguments.revocations, arguments.rate, "few revoked")
    few = f"few revoked: {start:.2f} s to /readyz, {fleet.resident():.0f} MiB resident"
    rate = acknowledged_a_second(fleet, 2 * arguments.revocations, "rate")
    fleet.stop_gateways()
    preload(fleet.redis_port, arguments.preload)
    name = f"{arguments.preload:,} revoked"
    start = max(fleet.start())
    resident = fleet.resident()
    is_good = measure(fleet, arguments.revocations, arguments.rate, name) and is_good
    print(few)
    print(f"{name}: {start:.2f} s to /readyz, {resident:.0f} MiB resident, "
          f"{fleet.resident():.0f} MiB after what was revoked since")
    print(f"{rate:.0f} revocations acknowledged a second")
    return is_good


if __name__ == "__main__":
    main()
