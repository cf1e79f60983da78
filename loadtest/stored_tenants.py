#!/usr/bin/env python3
"""Thousands of tenants by API through three instances on Redis, while requests pass: is every answer right, and how soon is
a change in force?

Usage: stored_tenants.py --gatehouse PATH [--tenants 10000] [--pace 100] [--rps 2000] [--limit-ms 1000] [--picture FILE]

Each new tenant is written at one instance, and some of them are then asked for at all three until it is served; so are changes
of tenants that are there. Meanwhile requests pass over all instances to tenants that are in force, and each answer has to be the
one that its tenant and its path call for. Exits 1 when an answer was wrong, a write failed, or a change took too long (p99).
"""

import argparse
import base64
import multiprocessing
import os
import pathlib
import queue
import random
import sys
import tempfile
import threading
import time

import svg
from faulty_backend import body_of
from gateway_process import Gateway, end_in_order, require, start_backend, stop
from plain_client import PlainClient
from processes import Watch, await_port, end, raise_open_files, start

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "redis://127.0.0.1:{redis}"
  tenants: [files, store]
  log: {{ level: warning, access: false }}
templates:
  common:
    # Each tenant has connections of its own, at each instance: the one backend here cannot have thirty thousand.
    backend: {{ servers: ["http://127.0.0.1:{backend}"], timeouts: {{ idle: 1s }} }}
    authenticate:
      issuers: [ {{ issuer: load, audiences: [load], algorithms: [HS256], secret: "only-for-load-tests-0123456789012345" }} ]
    access:
      - {{ path: /private/**, allow: {{ scopes: [] }} }}
tenants:
  well: {{ extends: common, hosts: [well.test] }}
"""
# Each is sampled at all instances.
SAMPLE_EVERY = 20
CHANGE_EVERY = 20
WRITERS = 6
# Enough that a sample is looked at as soon as it is written.
WATCHERS = 24
PROCESSES = 2
# Seconds between two looks whether a change is in force.
POLL = 0.02
# How long a change may take before it counts as lost.
PATIENCE = 30


def text_of(number, edition):
    """A tenant that says which edition of it is in force."""
    return (f"extends: common\nhosts: [t{number}.test]\n"
            f"access: [ {{ path: /right/**, allow: anyone }}, {{ path: /edition, allow: anyone }} ]\n"
            f"routes: [ {{ path: /edition, respond: {{ body: \"{number}.{edition}\" }} }} ]\n")


# The load, in processes of its own

def judge(number, path, status, body):
    """What is wrong with an answer; None if nothing is."""
    if path == "/edition":
        is_right = status == 200 and body.decode().split(".")[0] == str(number)
    elif path.startswith("/private"):
        is_right = status == 401
    else:
        is_right = status == 200 and body == body_of(path, "")
    return None if is_right else f"tenant t{number} {path}: {status} {body[:200]!r}"


def one_load_thread(ports, rate, in_force, counted, wrong, stopping):
    instances = [PlainClient(port) for port in ports]
    due, turn = time.monotonic(), random.randrange(len(ports))
    while not stopping.is_set():
        due += 1 / rate
        pause = due - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        elif pause < -1:
            # What the machine could not send is not made up for: it would be a burst.
            due = time.monotonic()
        number = random.randrange(max(1, in_force.value))
        path = random.choice((f"/right/{random.randrange(2000)}/{number}",) * 6 + ("/edition", "/private/1/x"))
        turn = (turn + 1) % len(ports)
        try:
            status, _, body = instances[turn].ask("GET", path, f"t{number}.test")
            mistake = judge(number, path, status, body)
        except (OSError, ValueError) as error:
            mistake = f"tenant t{number} {path}: {error!r}"
        with counted.get_lock():
            counted.value += 1
        if mistake and not stopping.is_set():
            wrong.put(f"port {ports[turn]}: {mistake}")


def load(ports, rate, threads, in_force, counted, wrong, stopping):
    running = [threading.Thread(target=one_load_thread,
                                args=(ports, rate / threads, in_force, counted, wrong, stopping), daemon=True)
               for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


# The writes

class Fleet:
    """Three instances on one Redis."""

    def __init__(self, program, directory, base):
        self.redis_port, self.backend_port = base + 8, base + 9
        self.ports, self.admin_ports = [base, base + 1, base + 2], [base + 4, base + 5, base + 6]
        command = ["redis-server", "--port", self.redis_port, "--bind", "127.0.0.1", "--dir", directory, "--save", "",
                   "--appendonly", "no"]
        self.redis = start(command, directory / "redis.log")
        await_port(self.redis_port, self.redis, "redis-server")
        raise_open_files()
        self.backend = start_backend(self.backend_port)
        os.environ["GATEHOUSE_KEY"] = base64.b64encode(bytes(range(32))).decode()
        self.gateways = []
        for number, (port, admin) in enumerate(zip(self.ports, self.admin_ports)):
            place = directory / f"instance-{number}"
            place.mkdir()
            text = CONFIGURATION.format(port=port, admin=admin, redis=self.redis_port, backend=self.backend_port)
            self.gateways.append(Gateway(program, text, place, port, admin))
        self.doors, self.admins = [PlainClient(port) for port in self.ports], [PlainClient(port) for port in self.admin_ports]

    def put(self, number, edition, at):
        """Writes a tenant; gives its ETag."""
        name = f"t{number}"
        condition = {"If-None-Match": "*"} if edition == 1 else {"If-Match": self.tags[number]}
        status, fields, body = self.admins[at].ask(
            "PUT", f"/api/tenants/{name}", None, text_of(number, edition),
            {"Content-Type": "application/yaml", **condition})
        if status not in (200, 201):
            raise ValueError(f"PUT {name} at instance {at}: {status} {body[:300]!r}")
        self.tags[number] = fields["etag"]

    tags = {}

    def seconds_until_served(self, number, edition, since):
        """From the acknowledgement of a write until each instance serves it; None for one that never does."""
        wanted, times = f"{number}.{edition}".encode(), [None, None, None]
        while None in times and time.monotonic() - since < PATIENCE:
            for at in range(3):
                if times[at] is None:
                    status, _, body = self.doors[at].ask("GET", "/edition", f"t{number}.test")
                    if status == 200 and body == wanted:
                        times[at] = time.monotonic() - since
            time.sleep(POLL)
        return times

    def close(self):
        statuses = [gateway.stop() for gateway in self.gateways]
        stop([self.backend])
        end(self.redis)
        return statuses


class Run:
    """What is written by several threads, and how soon it is in force."""

    def __init__(self, fleet, count, pace, in_force):
        self.fleet, self.count, self.in_force = fleet, count, in_force
        self.seconds_each = WRITERS / pace
        self.lock = threading.Lock()
        self.next, self.done = 0, set()
        self.new, self.changed, self.writes, self.mistakes = [], [], [], []
        # Those whose time is taken, and those that only have to be served some time.
        self.timed, self.others = queue.Queue(), queue.Queue()
        self.begin = time.monotonic()
        self.progress = []

    def noted(self, numbers):
        """Counts tenants as in force that all instances surely have: those before the first that is not known to be."""
        with self.lock:
            self.done.update(numbers)
            while self.in_force.value in self.done:
                self.done.remove(self.in_force.value)
                self.in_force.value += 1

    def write(self):
        due = time.monotonic()
        while True:
            due = max(due + self.seconds_each, time.monotonic())
            time.sleep(max(0, due - time.monotonic()))
            with self.lock:
                number = self.next
                if number >= self.count:
                    return
                self.next += 1
            self.one(number)

    def one(self, number):
        at = number % len(self.fleet.doors)
        try:
            begin = time.monotonic()
            self.fleet.put(number, 1, at)
            since = time.monotonic()
        except (OSError, ValueError) as error:
            with self.lock:
                self.mistakes.append(repr(error))
            return
        with self.lock:
            self.writes.append(since - begin)
        (self.timed if number % SAMPLE_EVERY == 0 else self.others).put((number, 1, since))
        if number % CHANGE_EVERY == 0 and number >= 200:
            old = random.randrange(number - 150) // CHANGE_EVERY * CHANGE_EVERY + 7
            self.change(old, (at + 1) % len(self.fleet.doors))

    def change(self, number, at):
        """Changes one that is in force, if no other thread does."""
        with self.lock:
            if number >= self.in_force.value or number not in self.fleet.tags or number in self.changing:
                return
            self.changing.add(number)
        try:
            edition = self.editions.get(number, 1) + 1
            self.fleet.put(number, edition, at)
            self.editions[number] = edition
            self.timed.put((number, edition, time.monotonic()))
        except (OSError, ValueError) as error:
            with self.lock:
                self.mistakes.append(repr(error))
                self.changing.discard(number)

    changing, editions = set(), {}

    def watch(self, samples):
        """Waits for what was written, until there is no more."""
        while (sample := samples.get()) is not None:
            number, edition, since = sample
            times = self.fleet.seconds_until_served(number, edition, since)
            with self.lock:
                if None in times:
                    self.mistakes.append(f"t{number}, edition {edition}: not served within {PATIENCE} s: {times}")
                elif samples is self.timed:
                    (self.new if edition == 1 else self.changed).extend(times)
                if edition > 1:
                    self.changing.discard(number)
                elif number % 500 == 499:
                    self.progress.append((time.monotonic() - self.begin, float(number + 1)))
            if edition == 1 and None not in times:
                self.noted([number])

    def run(self):
        """Gives the seconds of the writes."""
        watchers = [threading.Thread(target=self.watch, args=(self.timed,)) for _ in range(WATCHERS)]
        followers = [threading.Thread(target=self.watch, args=(self.others,)) for _ in range(2)]
        writers = [threading.Thread(target=self.write) for _ in range(WRITERS)]
        for thread in watchers + followers + writers:
            thread.start()
        for thread in writers:
            thread.join()
        seconds = time.monotonic() - self.begin
        for samples, threads in ((self.timed, watchers), (self.others, followers)):
            for _ in threads:
                samples.put(None)
        for thread in watchers + followers:
            thread.join()
        return seconds


def at_percent(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] * 1000 if ordered else 0.0


def first_tenants(fleet, in_force, count):
    """So that the load has where to go."""
    for number in range(count):
        fleet.put(number, 1, number % 3)
    for number in range(count):
        if None in fleet.seconds_until_served(number, 1, time.monotonic()):
            raise SystemExit(f"t{number} is not served")
    in_force.value = count


def play(fleet, chosen):
    """Gives what was measured, and what is wrong."""
    in_force, counted = multiprocessing.Value("i", 0), multiprocessing.Value("l", 0)
    wrong, stopping = multiprocessing.Queue(), multiprocessing.Event()
    first_tenants(fleet, in_force, 20)
    run = Run(fleet, chosen.tenants, chosen.pace, in_force)
    run.next = 20
    threads = max(1, chosen.rps // 100 // PROCESSES)
    loads = [multiprocessing.Process(target=load, args=(fleet.ports, chosen.rps / PROCESSES, threads, in_force, counted,
                                                        wrong, stopping)) for _ in range(PROCESSES)]
    watches = [Watch(gateway.process.pid) for gateway in fleet.gateways]
    for each in loads:
        each.start()
    begin = time.monotonic()
    for watch in watches:
        watch.__enter__()
    seconds = run.run()
    for watch in watches:
        watch.__exit__()
    stopping.set()
    rate = counted.value / (time.monotonic() - begin)
    mistakes = list(run.mistakes)
    # Their queue is emptied before they end, or they would not.
    deadline = time.monotonic() + 40
    while any(each.is_alive() for each in loads) and time.monotonic() < deadline:
        try:
            mistakes.append(f"a wrong answer: {wrong.get(timeout=0.1)}")
        except queue.Empty:
            pass
    for each in loads:
        each.join(timeout=1)
    while not wrong.empty():
        mistakes.append(f"a wrong answer: {wrong.get()}")
    return run, watches, seconds, rate, counted.value, mistakes


def told(run, watches, seconds, rate, answers, chosen):
    """Prints what was measured; gives what took too long."""
    print(f"{chosen.tenants - 20:,} tenants written at three instances in {seconds:.1f} s "
          f"({(chosen.tenants - 20) / seconds:.0f} a second), beside {answers:,} requests ({rate:.0f} a second)")
    print(f"{'':44}{'p50 ms':>9}{'p99 ms':>9}{'most ms':>9}{'count':>8}")
    rows = (("answer to a PUT", run.writes), ("from the answer until each instance serves it", run.new),
            ("the same of a change", run.changed))
    for name, values in rows:
        most = max(values, default=0) * 1000
        print(f"{name:44}{at_percent(values, 50):9.1f}{at_percent(values, 99):9.1f}{most:9.1f}{len(values):8,}")
    for number, watch in enumerate(watches):
        print(f"instance {number}: {watch.cpu / seconds:.2f} cores, {watch.most_memory / (1 << 20):.0f} MiB")
    return [f"{name}: p99 {at_percent(values, 99):.0f} ms, more than {chosen.limit_ms}"
            for name, values in rows[1:] if at_percent(values, 99) > chosen.limit_ms]


def main():
    parser = argparse.ArgumentParser(description="Tenants by API through three instances, under load.")
    parser.add_argument("--gatehouse", required=True, help="path of the program, a release build")
    parser.add_argument("--tenants", type=int, default=10_000, help="how many are written (default 10000)")
    parser.add_argument("--pace", type=float, default=100, help="writes a second, at most (default 100)")
    parser.add_argument("--rps", type=int, default=2000, help="requests a second meanwhile (default 2000)")
    parser.add_argument("--limit-ms", type=float, default=1000, help="until a change is in force, p99 (default 1000)")
    parser.add_argument("--port", type=int, default=8600, help="the first of ten ports (default 8600)")
    parser.add_argument("--picture", default=None, help="where the pace of the writes is drawn (SVG)")
    chosen = parser.parse_args()
    require("redis-server")
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        fleet = Fleet(chosen.gatehouse, pathlib.Path(name), chosen.port)
        try:
            run, watches, seconds, rate, answers, mistakes = play(fleet, chosen)
        finally:
            statuses = fleet.close()
        mistakes += [f"instance {number} ended with status {status}" for number, status in enumerate(statuses) if status]
        mistakes += told(run, watches, seconds, rate, answers, chosen)
    if chosen.picture:
        pathlib.Path(chosen.picture).write_text(
            svg.lines("Tenants in force over the seconds", "count", [("tenants", run.progress)], []), encoding="utf-8")
    for mistake in mistakes[:40]:
        print(mistake)
    print(f"FAILED: {len(mistakes)}" if mistakes else "PASSED: no wrong answer")
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
