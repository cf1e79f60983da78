#!/usr/bin/env python3
"""Minutes of churn: tenants.yaml is changed every few seconds, keys rotate, callers are revoked, servers and Redis go
and come back, all under load. Is every answer right, is no connection lost, and is memory flat?

Usage: churn.py PATH-TO-GATEHOUSE [--minutes 20] [--every 5]

See README.md. Exits 1 when an answer was wrong that no fault explains, something grew, or the gateway did not end in
order.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import app_server
import churn_clients
import soak_clients
import svg
from churn_clients import Era, guests_of, has_side_door
from gateway_process import SECRET, Gateway, end_in_order, make_certificate, require, start_backend, stop
from processes import await_port, end, start
from provider_keys import ProviderKey

HEAD = """\
version: 1
gateway:
  listen:
    - {{ address: "127.0.0.1:{port}" }}
    - {{ address: "127.0.0.1:{tls_port}", tls: true }}
{side_door}  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "redis://127.0.0.1:{redis}/0"
  limits: {{ idle_timeout: 10s, header_timeout: 5s }}
  log: {{ level: warning, access: false }}
tenants:
"""
PLAIN = """\
  {name}:
    hosts: [{name}.test]
    tls: {{ certificate_file: certificate.pem, key_file: key.pem }}
    backend: {{ servers: [{servers}], timeouts: {{ response: 30s, idle: 10s }}{more} }}
    authenticate: {{ issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ] }}
    access:
      - {{ path: /private/**, allow: {{ scopes: [] }} }}
      - {{ path: /**, allow: anyone }}
    identity: {{ headers: {{ X-User-Id: sub }} }}
    max_staleness: 10m
"""
# One of two is always there, and what a dying server had not begun to answer is sent to the other one.
MORTAL = ", health: { path: /right/1/probe, every: 1s, healthy_after: 1, unhealthy_after: 1 }"
CHANGING = """\
  changing:
    hosts: [changing.test]
    backend: {{ servers: ["http://127.0.0.1:{server}"], limits: {{ connections: {connections} }} }}
    authenticate: {{ issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ] }}
    access: [ {{ path: /edition-{edition}/**, allow: anyone }} ]
    identity: {{ headers: {{ X-User-Id: sub }} }}
    headers: {{ response: {{ set: {{ X-Edition: "{edition}" }} }} }}
    max_staleness: 10m
"""
OTHERS = """\
  refreshing:
    hosts: [refreshing.test]
    backend: {{ servers: ["http://127.0.0.1:{provider}"] }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ]
      leeway: 0s
    refresh:
      grace: 7d
      call: {{ path: /refresh, send: bearer, access_token: /token }}
      deliver: {{ header: X-Refreshed-Token }}
    max_staleness: 10m
  rotating:
    hosts: [rotating.test]
    backend: {{ servers: ["http://127.0.0.1:{well}"] }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [RS256], jwks_url: "http://127.0.0.1:{provider}/jwks" }} ]
    max_staleness: 10m
"""
MISTAKE = "  broken: { hosts: [well.test], backend: { servers: [ftp://nowhere] }, surprise: yes }\n"
MIB = 1 << 20
SAMPLE_SECONDS, SETTLE_SECONDS = 2, 30


class Churn:
    """The gateway, what is behind it, and what is done to it."""

    def __init__(self, program, directory, base):
        self.directory = directory
        ports = range(base, base + 13)
        self.port, self.tls_port, self.side_port, self.admin_port, self.redis_port, self.provider_port = ports[:6]
        self.well, self.mortal, self.changing, self.echo_port = ports[6:8], ports[8:10], ports[10:12], ports[12]
        make_certificate(directory, ["well.test", "mortal.test"])
        self.tls_context = soak_clients.tls_context(directory)
        self.redis = None
        self.start_redis()
        self.provider = app_server.start(self.provider_port, self.echo_port)
        self.backends = [start_backend(port) for port in (*self.well, *self.changing)]
        self.mortals = {port: start_backend(port) for port in self.mortal}
        self.era, self.done, self.marks = Era(), collections.Counter(), []
        self.key, self.rotations = ProviderKey("key-0"), 0
        self.publish(self.key)
        self.sign()
        self.gateway = Gateway(program, self.configuration(1), directory, self.port, self.admin_port)
        self.begin = time.monotonic()

    def configuration(self, edition):
        def urls(ports):
            return ", ".join(f'"http://127.0.0.1:{port}"' for port in ports)

        side_door = f'    - {{ address: "127.0.0.1:{self.side_port}" }}\n' if has_side_door(edition) else ""
        text = HEAD.format(port=self.port, tls_port=self.tls_port, side_door=side_door, admin=self.admin_port,
                           redis=self.redis_port)
        plain = {f"guest-{guest}": self.well[:1] for guest in sorted(guests_of(edition))}
        # Their order is another one each time.
        parts = [PLAIN.format(name=name, servers=urls(ports), secret=SECRET, more="") for name, ports in plain.items()]
        parts.append(PLAIN.format(name="well", servers=urls(self.well), secret=SECRET, more=""))
        parts.append(PLAIN.format(name="mortal", servers=urls(self.mortal), secret=SECRET, more=MORTAL))
        parts.append(CHANGING.format(server=self.changing[edition % 2], connections=50 + edition % 50, edition=edition,
                                     secret=SECRET))
        parts.append(OTHERS.format(provider=self.provider_port, well=self.well[0], secret=SECRET))
        random.Random(edition).shuffle(parts)
        return text + "".join(parts)

    def start_redis(self):
        command = ["redis-server", "--port", self.redis_port, "--bind", "127.0.0.1", "--dir", self.directory, "--save",
                   "", "--appendonly", "yes", "--appendfsync", "always"]
        self.redis = start(command, self.directory / "redis.log")
        await_port(self.redis_port, self.redis, "redis-server")

    def publish(self, *keys):
        body = json.dumps({"keys": [each for key in keys for each in key.key_set()["keys"]]}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.provider_port}/jwks", body, method="PUT")
        urllib.request.urlopen(request, timeout=10).close()

    def sign(self):
        end_of_all = int(time.time()) + 86400
        self.era.tokens = [self.key.token({"iss": "load", "sub": user, "exp": end_of_all}).decode()
                           for user in soak_clients.USERS[:10]]

    def revoke(self, tenant, subject):
        """Gives the status."""
        body = json.dumps({"tenant": tenant, "subject": subject, "for": "1d"}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.admin_port}/api/revocations", body,
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as refused:
            return refused.code

    # What is done to it

    def mark(self, what):
        self.done[what] += 1
        self.marks.append((time.monotonic() - self.begin, what))

    def reload(self, book, is_good):
        """Rewrites tenants.yaml and says so; a bad one must change nothing."""
        generation = self.gateway.metric("gatehouse_config_generation")
        failures = self.gateway.metric("gatehouse_config_reload_total", result="failure")
        edition = self.era.written + 1
        text = self.configuration(edition)
        if is_good:
            self.era.written = edition
        new = self.directory / "tenants.new"
        new.write_text(text if is_good else text + MISTAKE)
        os.replace(new, self.directory / "tenants.yaml")
        self.gateway.process.send_signal(signal.SIGHUP)
        begin = time.monotonic()
        while time.monotonic() - begin < 10:
            now = self.gateway.metric("gatehouse_config_generation")
            if is_good and now > generation:
                self.era.applied = edition
                book.note("reload", None if now == generation + 1 else f"from {generation} to {now}")
                return self.mark("reload")
            if not is_good and self.gateway.metric("gatehouse_config_reload_total", result="failure") > failures:
                book.note("reload of a bad file", None if now == generation else "it was applied")
                return self.mark("reload of a bad file")
            time.sleep(0.05)
        book.note("reload", f"edition {edition} was not {'applied' if is_good else 'refused'} in 10 s")
        return self.mark("reload that was not seen")

    def reload_again_and_again(self, book, every, stopping):
        turn = 0
        while not stopping.wait(every):
            turn += 1
            try:
                self.reload(book, turn % 10 != 0)
            except OSError as error:
                book.note("reload", f"the admin listener: {error!r}")

    def rotate_and_restart(self, stopping):
        """A rotation and a loss of Redis every 80 s, far enough from each other to tell their errors apart: a key that
        is not known is asked for once a minute, and instances agree on who does it by way of Redis.
        """
        while not stopping.wait(10):
            self.rotations += 1
            new = ProviderKey(f"key-{self.rotations}")
            self.publish(self.key, new)
            if stopping.wait(2):
                break
            self.key = new
            self.sign()
            self.mark("key rotation")
            if stopping.wait(10):
                break
            self.publish(new)
            if stopping.wait(18):
                break
            self.era.lose_store()
            self.redis.kill()
            self.redis.wait()
            self.mark("Redis killed")
            stopping.wait(3)
            self.start_redis()
            self.era.return_store()
            if stopping.wait(37):
                break

    def kill_servers(self, stopping):
        """One of two lives at any time."""
        while not stopping.wait(5):
            for port in self.mortal:
                stop([self.mortals[port]])
                self.mark("server killed")
                stopping.wait(3)
                self.mortals[port] = start_backend(port)
                if stopping.wait(5):
                    return

    def h2load(self, book, name, options, url, stopping):
        """In rounds, at a rate that leaves the machine to the others."""
        while not stopping.is_set():
            command = ["h2load", *options, "-c8", "--rps=25", "-n4000", "-H", ":authority: well.test", url]
            report = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", report)
            if stopping.is_set():
                return
            with book.lock:
                book.counts[f"h2load, {name}"] += 3999
            book.note(f"h2load, {name}", None if counts and counts[1] == counts[2] == "4000" else report)

    def state(self):
        gateway = self.gateway
        return time.monotonic() - self.begin, gateway.resident(), gateway.open_files(), gateway.connections()

    def run(self, seconds, every, book, sampled):
        stopping = threading.Event()
        plain, tls = f"http://127.0.0.1:{self.port}/right/512/load", f"https://well.test:{self.tls_port}/right/512/load"
        loads = (("HTTP/1.1", ["--h1"], plain), ("HTTP/2", ["-m4"], plain),
                 ("HTTP/2 TLS", ["-m4", "--connect-to", f"127.0.0.1:{self.tls_port}"], tls))
        threads = churn_clients.client_threads(self, book, self.era, stopping)
        threads += [threading.Thread(target=self.h2load, args=(book, *each, stopping)) for each in loads]
        threads.append(threading.Thread(target=self.kill_servers, args=(stopping,)))
        threads.append(threading.Thread(target=self.reload_again_and_again, args=(book, every, stopping)))
        threads.append(threading.Thread(target=self.rotate_and_restart, args=(stopping,)))
        for thread in threads:
            thread.start()
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until and self.gateway.is_running:
                time.sleep(SAMPLE_SECONDS)
                sampled.append(self.state())
        except OSError as error:
            book.note("the admin listener", f"does not answer: {error!r}")
        finally:
            stopping.set()
            for thread in threads:
                thread.join()

    def close(self):
        status = self.gateway.stop()
        self.provider.kill()
        stop([*self.backends, *self.mortals.values()])
        end(self.redis)
        return status


def slope(samples):
    """MiB an hour, by least squares."""
    if len(samples) < 3:
        return 0.0
    moments, values = [each[0] for each in samples], [each[1] / MIB for each in samples]
    middle, mean = sum(moments) / len(moments), sum(values) / len(values)
    spread = sum((moment - middle) ** 2 for moment in moments)
    return 3600 * sum((moment - middle) * (value - mean) for moment, value in zip(moments, values)) / spread


def verdict(churn, book, before, after, sampled, bound):
    """Prints what was measured; gives what is wrong."""
    for what, count in sorted(book.counts.items()):
        print(f"  {count:9,}  {what}")
    print("  done to it: " + ", ".join(f"{count} × {what}" for what, count in sorted(churn.done.items())))
    sampled = sampled or [after]
    quarter = max(1, len(sampled) // 4)
    print(f"{'':14}{'at rest':>10}{'1st quarter':>13}{'last quarter':>14}{'most':>8}{'at rest again':>15}")
    for place, name in enumerate(("resident MiB", "open files", "connections"), 1):
        unit = MIB if place == 1 else 1
        values = [each[place] / unit for each in sampled]
        columns = (before[place] / unit, sum(values[:quarter]) / quarter, sum(values[-quarter:]) / quarter, max(values),
                   after[place] / unit)
        print(f"{name:14}{columns[0]:10.1f}{columns[1]:13.1f}{columns[2]:14.1f}{columns[3]:8.1f}{columns[4]:15.1f}")
    print(f"resident memory under load, least squares over the last three quarters: "
          f"{slope(sampled[quarter:]):+.1f} MiB an hour")
    mistakes = [f"a wrong answer: {wrong}" for wrong in book.wrong[:40]]
    if len(book.wrong) > 40:
        mistakes.append(f"and {len(book.wrong) - 40} more")
    if after[3] > 0:
        mistakes.append(f"{after[3]} connections are left")
    if after[2] > before[2] + 2:
        mistakes.append(f"{after[2] - before[2]} files are left open")
    if after[1] > before[1] + bound * MIB:
        mistakes.append(f"resident memory at rest grew by more than {bound} MiB")
    if not churn.done["reload"]:
        mistakes.append("nothing was ever reloaded")
    return mistakes


def write_picture(churn, sampled, file):
    """Memory over time, with the losses of Redis."""
    memory = [(moment, size / MIB) for moment, size, *_ in sampled]
    connections = [(moment, float(count)) for moment, _, _, count in sampled]
    marks = [(moment, "Redis") for moment, what in churn.marks if what == "Redis killed"]
    pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(file).write_text(
        svg.lines(f"Resident memory through {churn.done['reload']} reloads, MiB, and connections", "count",
                  [("MiB", memory), ("connections", connections)], marks[:8]), encoding="utf-8")


def settled(churn, book):
    """The state at rest; nothing where the gateway does not answer any more."""
    time.sleep(SETTLE_SECONDS)
    try:
        return churn.state()
    except OSError as error:
        book.note("the admin listener", f"does not answer at rest: {error!r}")
        return 0.0, 0, 0, 0


def main():
    parser = argparse.ArgumentParser(description="Churn under load: right answers, no lost connection, no leak.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--minutes", type=float, default=20, help="of churn, after those of warming up (default 20)")
    parser.add_argument("--warm-up", type=float, default=2, help="minutes of the same before (default 2)")
    parser.add_argument("--every", type=float, default=5, help="seconds between two reloads (default 5)")
    parser.add_argument("--bound", type=int, default=24, help="growth allowed to the gateway, in MiB (default 24)")
    parser.add_argument("--port", type=int, default=8400, help="the first of thirteen ports (default 8400)")
    parser.add_argument("--picture", default=None, help="where a picture of the memory is written (SVG)")
    chosen = parser.parse_args()
    require("h2load", "openssl", "redis-server")
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        churn = Churn(chosen.gatehouse, pathlib.Path(name), chosen.port)
        try:
            warming_up, book, sampled = soak_clients.Book(), soak_clients.Book(), []
            churn.run(chosen.warm_up * 60, chosen.every, warming_up, [])
            before = settled(churn, warming_up)
            churn.done.clear()
            churn.run(chosen.minutes * 60, chosen.every, book, sampled)
            after = settled(churn, book)
            book.wrong += warming_up.wrong
            lived = churn.gateway.is_running
        finally:
            status = churn.close()
        log = (pathlib.Path(name) / "gatehouse.log").read_text(errors="replace")
    mistakes = verdict(churn, book, before, after, sampled, chosen.bound)
    if chosen.picture:
        write_picture(churn, sampled, chosen.picture)
    if not lived or status != 0:
        mistakes.append(f"the gateway ended with status {status}: {log[-2000:]}")
    for mistake in mistakes:
        print(mistake)
    print("FAILED" if mistakes else f"PASSED: {sum(book.counts.values()):,} in {chosen.minutes:g} minutes, none wrong")
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
