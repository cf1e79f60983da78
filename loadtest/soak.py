#!/usr/bin/env python3
"""Minutes of mixed load with faults on a gateway: is every answer right, and does nothing leak?

Usage: soak.py PATH-TO-GATEHOUSE [--minutes 10]

See README.md. Exits 1 when an answer was wrong, something grew, or the gateway did not end in order.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import soak_clients
from gateway_process import SECRET, Gateway, end_in_order, make_certificate, require, start_backend, stop

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }}, {{ address: "127.0.0.1:{tls_port}", tls: true }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  limits: {{ idle_timeout: 5s, header_timeout: 5s }}
  log: {{ level: warning, access: false }}
tenants:
"""
TENANT = """\
  {name}:
    hosts: [{name}.test]
    tls: {{ certificate_file: certificate.pem, key_file: key.pem }}
    backend: {{ servers: [{servers}], timeouts: {{ response: {response}, idle: 3s }} }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ]
    access:
      - {{ path: /private/**, allow: {{ scopes: [] }} }}
      - {{ path: /**, allow: anyone }}
    identity: {{ headers: {{ X-User-Id: sub }} }}
"""
TENANTS = ("well", "faulty", "mortal", "nobody")
SAMPLE_SECONDS = 2
# Longer than any timeout of the configuration.
SETTLE_SECONDS = 12
MIB = 1 << 20


class Soak:
    """The gateway under load with its backends."""

    def __init__(self, program, directory, base):
        self.directory = directory
        self.port, self.tls_port, self.admin_port = base, base + 1, base + 2
        self.well, self.faulty, self.mortal, self.nobody = (base + 10, base + 11), base + 12, base + 13, base + 14
        make_certificate(directory, [f"{name}.test" for name in TENANTS])
        self.tls_context = soak_clients.tls_context(directory)
        self.backends = [start_backend(port) for port in (*self.well, self.faulty)]
        self.gateway = Gateway(program, self.configuration(), directory, self.port, self.admin_port)

    def configuration(self):
        servers = {"well": self.well, "faulty": [self.faulty], "mortal": [self.mortal], "nobody": [self.nobody]}
        text = CONFIGURATION.format(port=self.port, tls_port=self.tls_port, admin=self.admin_port)
        for name, ports in servers.items():
            urls = ", ".join(f'"http://127.0.0.1:{port}"' for port in ports)
            # Where nothing is silent on purpose, a slow machine is no fault.
            response = "1s" if name == "faulty" else "30s"
            text += TENANT.format(name=name, servers=urls, response=response, secret=SECRET)
        return text

    def state(self):
        gateway = self.gateway
        return gateway.resident(), gateway.open_files(), gateway.connections()

    def kill_and_restart(self, stopping):
        """The mortal tenant's backend lives a few seconds at a time."""
        while not stopping.is_set():
            backend = start_backend(self.mortal)
            stopping.wait(4)
            stop([backend])
            stopping.wait(1)

    def load(self, book, arguments, stopping):
        """h2load in rounds, at a rate that leaves the machine to the others."""
        name, options, url = arguments
        while not stopping.is_set():
            command = ["h2load", *options, "-c8", "--rps=40", "-n3200", "-H", ":authority: well.test", url]
            report = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", report)
            if stopping.is_set():
                return
            mistake = None if counts and counts[1] == counts[2] == "3200" else report
            with book.lock:
                book.counts[f"h2load, {name}"] += 3199
            book.note(f"h2load, {name}", mistake)

    def run(self, seconds, book, sampled):
        stopping = threading.Event()
        plain, tls = (f"{scheme}:{port}/right/512/load" for scheme, port in
                      (("http://127.0.0.1", self.port), ("https://127.0.0.1", self.tls_port)))
        loads = (("HTTP/1.1", ["--h1"], plain), ("HTTP/2", ["-m4"], plain),
                 ("HTTP/2 TLS", ["-m4", "--connect-to", f"127.0.0.1:{self.tls_port}"],
                  tls.replace("127.0.0.1", "well.test")))
        threads = soak_clients.client_threads(self, book, stopping)
        threads.append(threading.Thread(target=self.kill_and_restart, args=(stopping,)))
        threads += [threading.Thread(target=self.load, args=(book, each, stopping)) for each in loads]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.gateway.is_running:
            time.sleep(SAMPLE_SECONDS)
            sampled.append(self.state())
        stopping.set()
        for thread in threads:
            thread.join()

    def close(self):
        stop(self.backends)
        return self.gateway.stop()


def settled(soak):
    time.sleep(SETTLE_SECONDS)
    return soak.state()


def verdict(book, before, after, sampled, bound):
    """Prints what was measured; gives what is wrong."""
    for what, count in sorted(book.counts.items()):
        print(f"  {count:9,}  {what}")
    names = ("resident MiB", "open files", "connections")
    quarter = max(1, len(sampled) // 4)
    print(f"{'':14}{'at rest':>10}{'2nd quarter':>13}{'last quarter':>14}{'most':>8}{'at rest again':>15}")
    for place, name in enumerate(names):
        unit = MIB if place == 0 else 1
        values = [each[place] / unit for each in sampled]
        columns = (before[place] / unit, sum(values[quarter:2 * quarter]) / quarter,
                   sum(values[-quarter:]) / quarter, max(values), after[place] / unit)
        print(f"{name:14}{columns[0]:10.1f}{columns[1]:13.1f}{columns[2]:14.1f}{columns[3]:8.1f}{columns[4]:15.1f}")
    mistakes = [f"a wrong answer: {wrong}" for wrong in book.wrong[:20]]
    if len(book.wrong) > 20:
        mistakes.append(f"and {len(book.wrong) - 20} more")
    if after[2] > 0:
        mistakes.append(f"{after[2]} connections are left")
    if after[1] > before[1]:
        mistakes.append(f"{after[1] - before[1]} files are left open")
    if after[0] > before[0] + bound * MIB:
        mistakes.append(f"resident memory grew by more than {bound} MiB")
    return mistakes


def main():
    parser = argparse.ArgumentParser(description="Mixed load with faults: right answers, no leak.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--minutes", type=float, default=10, help="of load, after one of warming up (default 10)")
    parser.add_argument("--bound", type=int, default=16, help="growth allowed to the gateway, in MiB (default 16)")
    parser.add_argument("--port", type=int, default=8300, help="the first of fifteen ports (default 8300)")
    chosen = parser.parse_args()
    require("h2load", "curl", "openssl")
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(chosen.gatehouse, pathlib.Path(name), chosen.port)
        try:
            # The first minute fills what is kept for good: buffers, token caches, the allocator's arenas.
            book, warming_up, sampled = soak_clients.Book(), soak_clients.Book(), []
            soak.run(min(60, chosen.minutes * 6), warming_up, [])
            before = settled(soak)
            soak.run(chosen.minutes * 60, book, sampled)
            after = settled(soak)
            book.wrong += warming_up.wrong
            lived = soak.gateway.is_running
        finally:
            status = soak.close()
        log = (pathlib.Path(name) / "gatehouse.log").read_text(errors="replace")
    mistakes = verdict(book, before, after, sampled, chosen.bound)
    if not lived or status != 0:
        mistakes.append(f"the gateway ended with status {status}: {log[-2000:]}")
    for mistake in mistakes:
        print(mistake)
    print("FAILED" if mistakes else f"PASSED: {sum(book.counts.values()):,} in {chosen.minutes:g} minutes, none wrong")
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
