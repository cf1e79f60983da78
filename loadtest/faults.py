#!/usr/bin/env python3
"""What the faults of one tenant cost the gateway and the other tenant: prints docs/faults.md's measured columns.

Usage: faults.py PATH-TO-GATEHOUSE [--seconds 5]

The gateway has one event loop, so that both tenants share it. h2load asks the good tenant 800 times a second; its p99
is taken with the fault on, beside that of just before. Meanwhile the gateway's resident memory is watched.
"""

import argparse
import collections
import http.client
import json
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from gateway_process import SECRET, Gateway, end_in_order, require, start_backend, stop, wait_for_port

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  threads: 1
  limits: {{ connections: 20000, idle_timeout: 10m, header_timeout: 10m }}
  log: {{ level: warning, access: false }}
tenants:
"""
TENANT = """\
  {name}:
    hosts: [{name}.test]
    backend: {{ servers: ["http://127.0.0.1:{port}"], timeouts: {{ connect: 1s, response: {response} }} }}
    authenticate: {{ issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ] }}
    access: [ {{ path: /**, allow: anyone }} ]
"""
# The good tenant's server must not be what is measured: nginx answers by itself.
NGINX = """\
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "{filling}"; }} }}
}}
"""
MIB = 1 << 20


class Fault:
    """Some clients that meet one fault over and over until it is over, each at its own pace."""

    def __init__(self, name, tenant, path, clients=20, pause=0.2):
        self.name, self.tenant, self.path, self.clients, self.pause = name, tenant, path, clients, pause

    def client(self, bench, book, over):
        """Asks, and notes what it got."""
        while not over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", bench.port, timeout=60)
            try:
                connection.request("GET", self.path, headers={"Host": f"{self.tenant}.test"})
                response = connection.getresponse()
                body = response.read()
                code = f" {json.loads(body)['code']}" if response.status >= 400 else ""
                book[f"{response.status}{code}"] += 1
            except http.client.IncompleteRead:
                book[f"{response.status}, cut"] += 1
            except OSError as error:
                book[type(error).__name__] += 1
            finally:
                connection.close()
            over.wait(self.pause * (0.5 + random.random()))

    def begin(self, bench):
        pass

    def end(self, bench):
        pass


class Stopped(Fault):
    """The server's process is stopped while connections to it are kept: it is gone without a FIN."""

    def begin(self, bench):
        connection = http.client.HTTPConnection("127.0.0.1", bench.port)
        connection.request("GET", self.path, headers={"Host": f"{self.tenant}.test"})
        connection.getresponse().read()
        connection.close()
        bench.faulty.send_signal(signal.SIGSTOP)

    def end(self, bench):
        bench.faulty.send_signal(signal.SIGCONT)


class Held(Fault):
    """Connections that are opened and held, each fed or read by the byte."""

    def __init__(self, name, request, clients, drip=b"", reads=False):
        super().__init__(name, "faulty", "", clients)
        self.request, self.drip, self.reads = request, drip, reads
        self.connections = []

    def begin(self, bench):
        for _ in range(self.clients):
            connection = socket.socket()
            if self.reads:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", bench.port))
            if self.request:
                connection.sendall(self.request)
            self.connections.append(connection)

    def client(self, bench, book, over):
        """One thread has them all: a byte for each, or from each, a second."""
        if over.wait(0) or self.connections is None:
            return
        connections, self.connections = self.connections, None
        while not over.wait(1):
            for connection in connections:
                if self.reads:
                    connection.recv(1)
                elif self.drip:
                    connection.sendall(self.drip)
        for connection in connections:
            connection.setblocking(False)
            try:
                alive = connection.recv(1) != b""
            except BlockingIOError:
                alive = True
            except OSError:
                alive = False
            book["held" if alive else "closed"] += 1
            connection.close()
        self.connections = []


def faults():
    get = b"GET /%s HTTP/1.1\r\nHost: faulty.test\r\n\r\n"
    post = b"POST /right/9 HTTP/1.1\r\nHost: faulty.test\r\nContent-Length: 100000\r\n\r\n"
    return [
        Fault("killed mid-body, length", "faulty", "/dies/20000/x"),
        Fault("killed mid-body, chunked", "faulty", "/dies-chunked/20000/x"),
        Fault("killed mid-body, close-delimited", "faulty", "/dies-unmarked/20000/x"),
        Fault("connect refused", "nobody", "/right/9/x"),
        Fault("accepts, stays silent", "faulty", "/silent/9/x", clients=100),
        Fault("reset before the first byte", "faulty", "/resets/9/x"),
        Fault("reset after the first byte", "faulty", "/resets-head/9/x"),
        Stopped("half-open, server stopped", "faulty", "/right/9/x", clients=100),
        Fault("half-open, connect unanswered", "hole", "/right/9/x", clients=100),
        Held("slow reader, 1 B/s", get % b"right/67108864/x", 20, reads=True),
        Held("slow writer, 1 B/s head", get[:20] + b"x: ", 100, drip=b"y"),
        Held("slow writer, 1 B/s body", post, 100, drip=b"y"),
        Held("10,000 connections left open", b"", 10_000),
        Fault("garbage", "faulty", "/garbage/9/x"),
        Fault("two lengths", "faulty", "/two-lengths/9/x"),
        Fault("oversized head", "faulty", "/huge-head/9/x"),
    ]


class Bench:
    """The gateway between a good tenant and those that fail."""

    def __init__(self, program, directory, base):
        self.directory, self.port, self.admin, self.good = directory, base, base + 1, base + 2
        self.hole = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.filling = socket.create_connection(self.hole.getsockname())
        ports = {"good": base + 2, "faulty": base + 3, "nobody": base + 4, "hole": self.hole.getsockname()[1]}
        (directory / "nginx.conf").write_text(NGINX.format(directory=directory, port=self.good, filling="x" * 500))
        nice = ["nice", "-n", "-10"]
        command = [*nice, "nginx", "-p", str(directory), "-c", str(directory / "nginx.conf")]
        self.nginx = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        wait_for_port(self.good, self.nginx)
        self.faulty = start_backend(ports["faulty"])
        configuration = CONFIGURATION.format(port=self.port, admin=self.admin)
        for name, port in ports.items():
            configuration += TENANT.format(name=name, port=port, response="1s", secret=SECRET)
        self.gateway = Gateway(program, configuration, directory, self.port, self.admin, prefix=nice)

    def latency(self, seconds):
        """p50 and p99 of the good tenant, in milliseconds."""
        log = self.directory / "h2load.log"
        log.unlink(missing_ok=True)
        command = ["nice", "-n", "-10", "h2load", "--h1", "-c8", "--rps=100", f"-n{int(seconds * 800)}",
                   f"--log-file={log}", "-H", ":authority: good.test", f"http://127.0.0.1:{self.port}/"]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows = [line.split("\t") for line in log.read_text().splitlines()]
        times = sorted(int(row[2]) for row in rows)
        if any(row[1] != "200" for row in rows) or not times:
            sys.exit(f"the good tenant was not served:\n{report}")
        return times[len(times) // 2] / 1000, times[len(times) * 99 // 100] / 1000

    def measure(self, fault, seconds):
        calm = self.latency(seconds)
        before = self.gateway.resident()
        book, over = collections.Counter(), threading.Event()
        fault.begin(self)
        clients = 1 if isinstance(fault, Held) else fault.clients
        threads = [threading.Thread(target=fault.client, args=(self, book, over)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        with_fault = self.latency(seconds)
        held = self.gateway.resident()
        over.set()
        fault.end(self)
        for thread in threads:
            thread.join()
        # What it leaves to tidy up is not the next one's doing.
        time.sleep(1)
        got = ", ".join(f"{what} ({count:,})" for what, count in book.most_common(3))
        print(f"| {fault.name} | {got} | {(held - before) / MIB:+.1f} MiB | {calm[0]:.2f} / {calm[1]:.2f} | "
              f"{with_fault[0]:.2f} / {with_fault[1]:.2f} |", flush=True)

    def close(self):
        stop([self.nginx, self.faulty])
        self.filling.close()
        self.hole.close()
        return self.gateway.stop()


def main():
    parser = argparse.ArgumentParser(description="The other tenant's latency under each fault.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement (default 5)")
    parser.add_argument("--port", type=int, default=8330, help="the first of five ports (default 8330)")
    chosen = parser.parse_args()
    require("h2load", "nginx")
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(chosen.gatehouse, pathlib.Path(name), chosen.port)
        try:
            print("| fault | the client got | memory | p50 / p99 before, ms | p50 / p99 with it, ms |")
            print("|---|---|---:|---:|---:|")
            for fault in faults():
                bench.measure(fault, chosen.seconds)
            after = bench.gateway.resident()
            print(f"\nresident at the end {after / MIB:.1f} MiB, {bench.gateway.connections()} connections open")
        finally:
            bench.close()


if __name__ == "__main__":
    main()
