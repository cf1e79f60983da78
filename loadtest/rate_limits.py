#!/usr/bin/env python3
"""Measures by how much three instances with one Redis go over a shared rate limit, and says what was promised.

Usage: rate_limits.py PATH-TO-GATEHOUSE [SECONDS]

Each instance is asked by wrk over 8 connections, as fast as it answers, all with the token of one caller whose limit they
share. What got through in all is compared with burst + rate x time, and the bound with that and `ahead` of all instances
but one (docs/limits.md). Ends with 1 if it was more.

Needs: apt-get install nginx wrk redis-server.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

INSTANCES, RATE, BURST, AHEAD = 3, 200, 400, 50
CONFIGURATION = """
version: 1
gateway:
  listen: [{{ address: "127.0.0.1:{port}" }}]
  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "redis://127.0.0.1:{redis}/0"
  threads: 1
  log: {{ level: error, access: false }}
tenants:
  app:
    hosts: [app.localtest]
    backend: {{ servers: ["http://127.0.0.1:{backend}"] }}
    authenticate:
      issuers: [{{ issuer: load, audiences: [load], algorithms: [HS256], secret: "{secret}" }}]
    rate_limits: [{{ by: subject, rate: {rate}/s, burst: {burst}, shared: true, ahead: {ahead} }}]
"""
NGINX = """
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{ access_log off; keepalive_requests 1000000; server {{ listen 127.0.0.1:{port}; return 200 "ok"; }} }}
"""
SECRET = "a-secret-of-this-measurement-and-of-nobody-else-0123456789"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"rate_limits: nobody answers at {url}")


def token(gatehouse, directory):
    key = directory / "secret"
    key.write_text(SECRET)
    claims = '{"iss": "load", "aud": "load", "sub": "alice"}'
    command = [gatehouse, "token", "mint", "--key", key, "--algorithm", "HS256", "--expires", "1h", "--claims", claims]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def let_through(output):
    total = int(re.search(r"(\d+) requests in", output).group(1))
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return total - (int(refused.group(1)) if refused else 0)


def measure(gatehouse, seconds, directory, started):
    backend, redis = free_port(), free_port()
    (directory / "nginx.conf").write_text(NGINX.format(directory=directory, port=backend))
    nginx = ["nginx", "-p", directory, "-c", directory / "nginx.conf", "-e", "/dev/null"]
    started.append(subprocess.Popen(nginx, stderr=subprocess.DEVNULL))
    server = ["redis-server", "--port", str(redis), "--save", "", "--bind", "127.0.0.1", "--dir", str(directory)]
    started.append(subprocess.Popen(server, stdout=subprocess.DEVNULL))
    ports = []
    for number in range(INSTANCES):
        port, admin = free_port(), free_port()
        file = directory / f"tenants-{number}.yaml"
        values = dict(port=port, admin=admin, redis=redis, backend=backend, secret=SECRET)
        file.write_text(CONFIGURATION.format(**values, rate=RATE, burst=BURST, ahead=AHEAD))
        started.append(subprocess.Popen([gatehouse, "run", "--config", file], stdout=subprocess.DEVNULL))
        wait_for(f"http://127.0.0.1:{admin}/readyz")
        ports.append(port)
    fields = ["-H", "Host: app.localtest", "-H", f"Authorization: Bearer {token(gatehouse, directory)}"]
    begun = time.monotonic()
    clients = [
        subprocess.Popen(
            ["wrk", "-t1", "-c8", f"-d{seconds}s", *fields, f"http://127.0.0.1:{port}/"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for port in ports
    ]
    outputs = [client.communicate()[0] for client in clients]
    return [let_through(output) for output in outputs], outputs, time.monotonic() - begun


def main():
    gatehouse, seconds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.environ["PATH"] += ":/usr/sbin"
    started = []
    with tempfile.TemporaryDirectory() as name:
        try:
            counts, outputs, lasted = measure(gatehouse, seconds, pathlib.Path(name), started)
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()
    limit = BURST + RATE * lasted
    bound = limit + (INSTANCES - 1) * AHEAD
    rates = [re.search(r"Requests/sec:\s+([\d.]+)", output).group(1) for output in outputs]
    print(f"asked a second at each instance: {', '.join(rates)}")
    print(f"let through: {sum(counts)} ({', '.join(map(str, counts))}) in {lasted:.2f} s")
    print(f"burst + rate x time: {limit:.0f}; with ahead of {INSTANCES - 1} instances: {bound:.0f}")
    print(f"over the limit: {max(0, sum(counts) - limit):.0f} requests; over the bound: {sum(counts) > bound}")
    sys.exit(1 if sum(counts) > bound else 0)


if __name__ == "__main__":
    main()
