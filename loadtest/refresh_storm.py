#!/usr/bin/env python3
"""What it takes when ten thousand sessions expire in the same second, and what another tenant has of it.

Usage: refresh_storm.py PATH-TO-GATEHOUSE [--sessions 10000] [--rate 1500] [--delay 30] [--store redis|memory]

Starts Redis, nginx for the other tenant's backend, one gateway and a provider in Python that takes 30 ms (`--delay`)
for a refresh. All tokens expire in one second. Then each is presented once, by 256 keep-alive clients so many a second
as is asked for (`--rate`), or as many as they get served: in the first storm to a tenant with `grace`, whose tokens
the gateway itself finds past; in the second to one whose backend says 401 to them. Meanwhile h2load asks the other
tenant 500 times a second on the same event loops. Before each storm as many sessions with tokens that need no refresh
are presented in the same way, so that what is compared is the refreshes and not the clients.

For each storm it prints the refresh calls, which must be one a session; how many the provider had at once, which must
not be more than 32; failures, of which there must be none; the latency of the requests that were refreshed, from their
sending; and the other tenant's, before and meanwhile. Exits 1 if one of these is not so.

Needs redis-server, nginx and h2load, and is to be given a release build.
"""

import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import multiprocessing
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from gateway_process import SECRET, Gateway, end_in_order, require, stop, token, wait_for_port

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "{store}"
  log: {{ level: warning, access: false }}
tenants:
  other:
    hosts: [other.test]
    backend: {{ servers: ["http://127.0.0.1:{nginx}"] }}
    authenticate: {{ issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ] }}
"""
TENANT = """\
  {name}:
    hosts: [{name}.test]
    backend: {{ servers: ["http://127.0.0.1:{provider}"] }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ]
      leeway: {leeway}
    refresh:
      on_401: {on_401}
      grace: {grace}
      call: {{ path: /refresh, send: bearer, access_token: /token }}
      deliver: {{ header: X-Refreshed-Token }}
"""
NGINX = """\
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log /dev/null;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""
CLIENTS = 256
CALLS_AT_ONCE = 32
OTHER_RATE = 500
AHEAD = ["nice", "-n", "-10"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=")


HEADER = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())


def minted(session, end, generation):
    claims = {"iss": "load", "sub": session, "sid": session, "iat": end - 3600, "exp": end, "jti": str(generation)}
    signed = HEADER + b"." + part(json.dumps(claims).encode())
    return signed + b"." + part(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest())


def claims_of(bearer):
    payload = bearer.split(b".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))


class Message(asyncio.Protocol):
    """Reads heads and bodies with a Content-Length."""

    def connection_made(self, transport):
        self.transport, self.received = transport, b""
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _, rest = self.received.partition(b"\r\n\r\n")
            lines = head.split(b"\r\n")
            fields = self.fields(lines[1:])
            length = int(fields.get(b"content-length", 0))
            if len(rest) < length:
                return
            self.received = rest[length:]
            self.message(lines[0], fields, rest[:length])

    def fields(self, lines):
        return {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}


# The provider


class Books:
    def __init__(self):
        self.calls, self.under_way, self.most, self.sessions, self.unauthorized = 0, 0, 0, set(), 0


class Desk(Message):
    """A backend that refuses what has expired, and refreshes it."""

    def __init__(self, books, delay):
        self.books, self.delay = books, delay

    def message(self, line, fields, body):
        path = line.split(b" ")[1]
        bearer = fields.get(b"authorization", b"").removeprefix(b"Bearer ")
        if path == b"/refresh":
            self.begin(claims_of(bearer))
        elif path == b"/books":
            books = self.books
            told = [books.calls, books.most, len(books.sessions), books.unauthorized]
            books.calls, books.most, books.sessions, books.unauthorized = 0, 0, set(), 0
            self.answer(b"200 OK", json.dumps(told).encode())
        elif bearer and claims_of(bearer)["exp"] > time.time():
            self.answer(b"200 OK", b"ok")
        else:
            self.books.unauthorized += 1
            self.answer(b"401 Unauthorized", b"past")

    def begin(self, claims):
        books = self.books
        books.calls += 1
        books.under_way += 1
        books.most = max(books.most, books.under_way)
        books.sessions.add(claims["sid"])
        asyncio.get_running_loop().call_later(self.delay, self.end, claims)

    def end(self, claims):
        self.books.under_way -= 1
        new = minted(claims["sid"], int(time.time()) + 3600, int(claims["jti"]) + 1)
        self.answer(b"200 OK", b'{"token":"' + new + b'"}')

    def answer(self, status, body):
        self.transport.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))


def serve_provider(port, delay):
    async def serve():
        books = Books()
        server = await asyncio.get_running_loop().create_server(
            lambda: Desk(books, delay), "127.0.0.1", port, backlog=1024)
        await server.serve_forever()

    asyncio.run(serve())


# The clients


class Client(Message):
    """One request at a time."""

    def __init__(self, crowd):
        self.crowd, self.presented, self.sent, self.is_done = crowd, None, 0.0, False

    def ask(self, host, session):
        self.presented, self.sent = session, time.monotonic()
        self.transport.write(
            b"GET /x HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (host, session[1]))

    def message(self, line, fields, body):
        self.crowd.answered(self, int(line.split(b" ")[1]), fields.get(b"x-refreshed-token"), body)

    def connection_lost(self, error):
        if not self.is_done:
            self.crowd.lost()


class Crowd:
    """Presents sessions, each once, at a steady rate as long as a client is free."""

    def __init__(self, port, host, sessions, rate, is_refreshed):
        self.port, self.host, self.sessions, self.rate = port, host, sessions, rate
        self.is_refreshed, self.free, self.times, self.failures = is_refreshed, [], [], {}
        self.open = []

    async def present(self):
        """Gives the seconds that it took."""
        loop = asyncio.get_running_loop()
        self.done = loop.create_future()
        for _ in range(CLIENTS):
            _, client = await loop.create_connection(lambda: Client(self), "127.0.0.1", self.port)
            self.free.append(client)
            self.open.append(client)
        begin, place, count = time.monotonic(), 0, len(self.sessions)
        while place < count:
            due = min(count, int((time.monotonic() - begin) * self.rate) + 1)
            while place < due and self.free:
                self.free.pop().ask(self.host, self.sessions[place])
                place += 1
            await asyncio.sleep(0.001)
        await asyncio.wait_for(self.done, 60)
        seconds = time.monotonic() - begin
        for client in self.open:
            client.is_done = True
            client.transport.close()
        return seconds

    def answered(self, client, status, new, body):
        session, claims = client.presented[0], new and claims_of(new)
        self.times.append(time.monotonic() - client.sent)
        if status != 200:
            self.fail(refusal(status, body))
        elif bool(new) != self.is_refreshed:
            self.fail("no new token" if self.is_refreshed else "a token that nobody wanted")
        elif claims and (claims["sub"] != session or claims["exp"] < time.time()):
            self.fail("another's token")
        self.free.append(client)
        if len(self.times) == len(self.sessions):
            self.done.set_result(None)

    def lost(self):
        self.fail("a connection was closed")
        if not self.done.done():
            self.done.set_exception(ConnectionError("the gateway has closed a connection"))

    def fail(self, reason):
        self.failures[reason] = self.failures.get(reason, 0) + 1


# The storms


class Bench:
    def __init__(self, chosen, directory):
        self.chosen, self.directory = chosen, directory
        self.port, self.admin, nginx_port, self.provider_port, redis_port = (free_port() for _ in range(5))
        self.processes = []
        store = "memory:"
        if chosen.store == "redis":
            store = f"redis://127.0.0.1:{redis_port}/0"
            command = ["redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--dir", str(directory),
                       "--save", ""]
            self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        (directory / "nginx.conf").write_text(NGINX.format(directory=directory, port=nginx_port))
        self.nginx = subprocess.Popen([*AHEAD, "nginx", "-c", directory / "nginx.conf", "-e", "/dev/null"])
        wait_for_port(nginx_port, self.nginx)
        self.provider = multiprocessing.Process(
            target=serve_provider, args=(self.provider_port, chosen.delay / 1000), daemon=True)
        self.provider.start()
        text = CONFIGURATION.format(port=self.port, admin=self.admin, store=store, nginx=nginx_port, secret=SECRET)
        text += TENANT.format(name="grace", provider=self.provider_port, secret=SECRET, leeway="0s", on_401="false",
                              grace="7d")
        # The gateway takes the tokens for good for a while after their end, and the backend does not.
        text += TENANT.format(name="unauthorized", provider=self.provider_port, secret=SECRET, leeway="10m",
                              on_401="true", grace="0s")
        self.gateway = Gateway(chosen.gatehouse, text, directory, self.port, self.admin, prefix=AHEAD)
        self.books()

    def books(self):
        """Calls, how many at once at most, sessions, and 401s, since it was asked the last time."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.provider_port}/books", timeout=10) as response:
            return json.load(response)

    def present(self, host, sessions, is_refreshed):
        """Gives the crowd, the seconds it took and the other tenant's latencies in seconds."""
        capacity = CALLS_AT_ONCE / (self.chosen.delay / 1000) if is_refreshed else self.chosen.rate
        expected = len(sessions) / min(self.chosen.rate, capacity)
        log = self.directory / "h2load.log"
        log.unlink(missing_ok=True)
        command = [*AHEAD, "h2load", "--h1", "-c10", f"--rps={OTHER_RATE // 10}", f"-n{int(expected * OTHER_RATE)}",
                   f"--log-file={log}", "-H", ":authority: other.test", "-H",
                   f"Authorization: Bearer {token('bystander')}", f"http://127.0.0.1:{self.port}/"]
        load = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            crowd = Crowd(self.port, host.encode(), sessions, self.chosen.rate, is_refreshed)
            seconds = asyncio.run(crowd.present())
            if load.wait(timeout=120) != 0:
                sys.exit("h2load has failed")
        finally:
            stop([load])
        rows = [line.split("\t") for line in log.read_text().splitlines()]
        refused = sum(row[1] != "200" for row in rows)
        if refused:
            crowd.fail(f"the other tenant was refused {refused} times")
        return crowd, seconds, sorted(int(row[2]) / 1e6 for row in rows)

    def storm(self, name):
        """Gives whether all was as it should be."""
        count, host = self.chosen.sessions, f"{name}.test"
        good = [(f"calm-{name}-{number}", minted(f"calm-{name}-{number}", int(time.time()) + 3600, 0))
                for number in range(count)]
        calm, _, before = self.present(host, good, False)
        if self.books()[0] or calm.failures:
            sys.exit(f"tokens that are good were refreshed, or refused: {calm.failures}")
        end = int(time.time()) + 2
        past = [(f"{name}-{number}", minted(f"{name}-{number}", end, 0)) for number in range(count)]
        time.sleep(max(0, end + 1 - time.time()))
        crowd, seconds, meanwhile = self.present(host, past, True)
        calls, most, sessions, unauthorized = self.books()
        print(f"{name}: {count:,} sessions in {seconds:.1f} s ({count / seconds:.0f}/s), "
              f"{unauthorized:,} answers 401 of the backend")
        print(f"  refresh calls {calls:,} of {sessions:,} sessions, at most {most} at once "
              f"(bound {CALLS_AT_ONCE}); failures: {crowd.failures or 'none'}")
        print(f"  refreshed requests: {told(crowd.times)}; requests without a refresh: {told(calm.times)}")
        print(f"  the other tenant: {told(before)} before, {told(meanwhile)} meanwhile; "
              f"p99 {at(meanwhile, 99) / at(before, 99):.2f} times that of before", flush=True)
        return calls == sessions == count and most <= CALLS_AT_ONCE and not crowd.failures

    def stop(self):
        self.gateway.stop()
        # nginx must end in order, or its worker stays.
        self.nginx.terminate()
        self.nginx.wait()
        self.provider.kill()
        self.provider.join()
        stop(self.processes)


def refusal(status, body):
    try:
        problem = json.loads(body)
        return f"{status} {problem['code']}: {problem['detail']}"
    except (ValueError, KeyError):
        return str(status)


def at(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def told(seconds):
    p50, p99, longest = (at(seconds, percent) * 1000 for percent in (50, 99, 100))
    return f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {longest:.1f} ms"


def main():
    parser = argparse.ArgumentParser(description="Ten thousand sessions that expire in the same second.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--sessions", type=int, default=10_000, help="that expire at once (default 10000)")
    parser.add_argument("--rate", type=int, default=1500, help="sessions presented a second (default 1500)")
    parser.add_argument("--delay", type=float, default=30, help="milliseconds that a refresh takes (default 30)")
    parser.add_argument("--store", choices=["redis", "memory"], default="redis", help="(default redis)")
    chosen = parser.parse_args()
    require("h2load", "nginx", *(["redis-server"] if chosen.store == "redis" else []))
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(chosen, pathlib.Path(name))
        try:
            is_good = all([bench.storm("grace"), bench.storm("unauthorized")])
            print(f"the gateway's memory: {bench.gateway.resident() / (1 << 20):.0f} MiB")
        finally:
            bench.stop()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
