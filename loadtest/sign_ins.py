#!/usr/bin/env python3
"""How many people can sign in a second, and what each costs in CPU time.

Usage: sign_ins.py PATH-TO-GATEHOUSE [--count 4000] [--codes 1000] [--connections 64] [--rounds 3]

Starts Redis (`appendonly yes`), a provider in Python that stands in for Apple, Google and a company, and one gateway of one worker
with two tenants, whose issuers sign with ES256 and with RS256. With two cores or more the gateway has the last to
itself. For each tenant, by so many keep-alive connections that each ask again as soon as they are answered:

- exchanges of Apple's identity tokens of people who were never there, and of the same people again,
- authorization codes that are redeemed (code and PKCE; the pages before that are not measured),
- refresh grants, each with the token that the one before gave,
- sign-ins in a browser with the company's OpenID provider, which end with cookies: the login and the return, without the
  provider's own pages. The provider signs some hundred tokens a second and no more: look at the CPU time,
- sign-ins with passkeys of RS256 (the response of the device; the page before that is not measured).

It prints the answers a second, the CPU time of the gateway's process (user and system) and of Redis for each, and the
latency. Each figure is the best of the rounds, since interference only adds. What signs people in admits 50 requests a
second of one address and 500 of one client: the script is a trusted proxy that says whose each request is, everybody
has an address of their own, and there are 20 clients. Exits 1 if one request was refused.

Needs redis-server and openssl, and is to be given a release build.
"""

import argparse
import asyncio
import base64
import concurrent.futures
import hashlib
import html
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from gateway_process import Gateway, end_in_order, require, stop
from passkeys import Passkey
from provider_keys import ProviderKey
from refresh_storm import Message, at, free_port

CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  trusted_proxies: [127.0.0.1/32]
  store: "redis://127.0.0.1:{redis}/0"
  threads: 1
  log: {{ level: warning, access: false }}
tenants:
"""
TENANT = """\
  {name}:
    hosts: [{name}.test]
    backend: {{ servers: ["{provider}"] }}
    authenticate: {{ from: [bearer, "cookie:access"], issuers: [ {{ preset: built-in }} ] }}
    issuer:
      url: https://{name}.test
      audience: load
      algorithm: {algorithm}
      clients: [ {clients} ]
    sign_in:
      apple:
        path: /auth/apple
        client_ids: [load]
        nonce: required
        then: issue
        issuer: "{provider}/apple"
        jwks_url: "{provider}/keys"
      google:
        path: /auth/google
        client_ids: [load]
        then: issue
        web: {{ client_id: load-web, client_secret: "of-the-load-test-and-of-nobody-else" }}
        issuer: "{provider}/google"
        jwks_url: "{provider}/keys"
        authorize_url: "{provider}/authorize"
        token_url: "{provider}/token"
        userinfo_url: "{provider}/userinfo"
        tokeninfo_url: "{provider}/tokeninfo"
      providers:
        company: {{ issuer: "{provider}/company", client_id: load-web, client_secret: of-the-load-test }}
      web:
        login: /login
        callback: /callback
        after: https://{name}.test/
        cookies: {{ access: access, refresh: refresh }}
      account_page: /account
      passkeys: {{ rp_id: {name}.test, name: Load }}
    refresh:
      from: "cookie:refresh"
      call: {{ send: built_in }}
      deliver: {{ cookies: {{ access: /access_token, refresh: /refresh_token }} }}
"""
CLIENT = '{{ id: {name}, public: true, redirect_uris: ["app://back"], scopes: [openid, email] }}'
# Of each tenant, since one of them is admitted 500 times a second.
CLIENTS = [f"app-{number}" for number in range(20)]
ALGORITHMS = {"es256": "ES256", "rs256": "RS256"}
VERIFIER = "a-verifier-of-the-load-test-0123456789-abcdefghij"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CORES = sorted(os.sched_getaffinity(0))
# The script is a proxy with TLS.
TLS = "X-Forwarded-Proto: https"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


# The provider


class Desk(Message):
    """Its keys, and an ID token for each code: a code says who it is for, and with which nonce."""

    def __init__(self, key, url):
        self.key, self.url = key, url

    def message(self, line, fields, body):
        if line.startswith(b"GET /keys "):
            return self.answer(self.key.key_set())
        company = f"{self.url}/company"
        if b"openid-configuration" in line:
            return self.answer({"issuer": company, "authorization_endpoint": f"{company}/authorize",
                                "token_endpoint": f"{company}/token", "jwks_uri": f"{self.url}/keys"})
        form = dict(urllib.parse.parse_qsl(body.decode()))
        person, _, nonce = form.get("code", "").partition("~")
        issuer = company if b"/company/" in line else f"{self.url}/google"
        claims = identity(issuer, person, nonce) | {"aud": "load-web"}
        self.answer({"access_token": "a", "token_type": "Bearer", "id_token": self.key.token(claims).decode()})

    def answer(self, document):
        body = json.dumps(document).encode()
        self.transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def identity(issuer, person, nonce):
    now = int(time.time())
    return {"iss": issuer, "aud": "load", "sub": person, "iat": now, "exp": now + 3600, "auth_time": now,
            "nonce": nonce, "email": f"{person}@load.test", "email_verified": True}


def serve_provider(key, port):
    async def serve():
        server = await asyncio.get_running_loop().create_server(
            lambda: Desk(key, f"http://127.0.0.1:{port}"), "127.0.0.1", port, backlog=1024)
        await server.serve_forever()

    asyncio.run(serve())


def apple_bodies(key, issuer, people, sign_in):
    """What apps send, each with a token and a nonce of its own."""
    nonces = [f"{person}-{sign_in}" for person in people]
    hashed = [hashlib.sha256(nonce.encode()).hexdigest() for nonce in nonces]
    claims = [identity(issuer, *each) for each in zip(people, hashed)]
    # Ends its processes in order: one that a signal ends in the middle of a queue leaves the others waiting.
    with concurrent.futures.ProcessPoolExecutor(len(CORES)) as pool:
        tokens = list(pool.map(key.token, claims, chunksize=64))
    return [json.dumps({"identity_token": token.decode(), "nonce": nonce}) for token, nonce in zip(tokens, nonces)]


# The clients


class Refused(Exception):
    pass


class Client(Message):
    """One request at a time."""

    def connection_made(self, transport):
        super().connection_made(transport)
        self.waiting = None

    async def ask(self, request):
        """Gives the status, the fields and the body."""
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.waiting

    def fields(self, lines):
        fields = super().fields(lines)
        fields[b"set-cookie"] = [line[12:].split(b";")[0].decode() for line in lines
                                 if line[:12].lower() == b"set-cookie: "]
        return fields

    def message(self, line, fields, body):
        if not self.waiting.done():
            self.waiting.set_result((int(line.split(b" ")[1]), fields, body))

    def connection_lost(self, error):
        if self.waiting and not self.waiting.done():
            self.waiting.set_exception(ConnectionError("the gateway has closed a connection"))


class Addresses:
    """One for everybody, of those that are kept for measuring (RFC 2544)."""

    def __init__(self):
        self.count = 0

    def next(self):
        self.count += 1
        number = self.count % (1 << 17)
        return f"198.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def request(method, target, host, address, fields=(), body=""):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", f"X-Forwarded-For: {address}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


async def crowd(port, count, tasks):
    """Does each task with one of so many connections; gives their results, their times and the seconds of all."""
    loop = asyncio.get_running_loop()
    todo, results, times = list(enumerate(tasks)), [None] * len(tasks), []
    todo.reverse()
    clients = [(await loop.create_connection(Client, "127.0.0.1", port))[1] for _ in range(count)]

    async def work(client):
        while todo:
            place, task = todo.pop()
            begin = time.monotonic()
            results[place] = await task(client)
            times.append(time.monotonic() - begin)

    begin = time.monotonic()
    try:
        await asyncio.gather(*(work(client) for client in clients))
    finally:
        seconds = time.monotonic() - begin
        for client in clients:
            client.transport.abort()
    return results, times, seconds


def sending(data):
    async def task(client):
        status, _, body = await client.ask(data)
        if status != 200:
            raise Refused(f"refused: {status} {body.decode()}")
        return json.loads(body)

    return task


def signing_in_by_code(host, app, person, addresses):
    """The browser's part of a sign-in; gives the code."""
    address = addresses.next()

    async def task(client):
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": app, "redirect_uri": "app://back", "scope": "openid email",
            "state": "s", "code_challenge": CHALLENGE, "code_challenge_method": "S256"})
        _, fields, page = await client.ask(request("GET", f"/oauth2/authorize?{query}", host, address))
        link = re.search(rb'href="([^"]*/authorize\?[^"]*)"', page)
        if not link:
            raise Refused(f"no sign-in page: {page[:500].decode()}")
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(html.unescape(link[1].decode())).query))
        cookie = fields[b"set-cookie"][0]
        query = urllib.parse.urlencode({"code": f"{person}~{asked.get('nonce', '')}", "state": asked["state"]})
        target = urllib.parse.urlsplit(asked["redirect_uri"]).path
        status, fields, body = await client.ask(
            request("GET", f"{target}?{query}", host, address, [f"Cookie: {cookie}"]))
        location = fields.get(b"location", b"").decode()
        codes = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query).get("code")
        if not codes:
            raise Refused(f"no code: {status} {location} {body[:500].decode()}")
        return codes[0]

    return task


def signing_in_by_company(host, person, addresses, after="/"):
    """The browser's part of a sign-in that ends with cookies, on the page `after`; gives the cookies."""
    address = addresses.next()
    query = urllib.parse.urlencode({"provider": "company", "after": f"https://{host}{after}"})

    async def task(client):
        _, fields, body = await client.ask(request("GET", f"/login?{query}", host, address, [TLS]))
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(fields.get(b"location", b"").decode()).query))
        if "nonce" not in asked:
            raise Refused(f"the company is not asked: {body[:500].decode()}")
        answer = urllib.parse.urlencode({"code": f"{person}~{asked['nonce']}", "state": asked["state"]})
        status, fields, body = await client.ask(request(
            "GET", f"/callback/company?{answer}", host, address, [TLS, f"Cookie: {fields[b'set-cookie'][0]}"]))
        if fields.get(b"location") != f"https://{host}{after}".encode():
            raise Refused(f"not signed in by the company: {status} {body[:500].decode()}")
        return [cookie for cookie in fields[b"set-cookie"] if cookie.startswith(("access=", "refresh="))]

    return task


def adding(passkey, cookies, addresses):
    """Somebody who has signed in adds a passkey on the account page; gives how the site calls them."""
    address = addresses.next()
    fields = [TLS, f"Cookie: {'; '.join(cookies)}"]
    posted = [*fields, f"Content-Type: {FORM}", f"Origin: https://{passkey.host}"]

    async def task(client):
        async def post(form):
            body = urllib.parse.urlencode(form)
            status, _, answer = await client.ask(request("POST", "/account", passkey.host, address, posted, body))
            if status != 200:
                raise Refused(f"no passkey is added: {status} {answer[:500].decode()}")
            return json.loads(answer)

        _, _, page = await client.ask(request("GET", "/account", passkey.host, address, fields))
        token = re.search(rb'data-token="([^"]*)"', page)
        if not token:
            raise Refused(f"the account page adds no passkeys: {page[:500].decode()}")
        form = {"token": html.unescape(token[1].decode())}
        options = (await post(form | {"action": "begin_passkey"}))["options"]
        await post(form | {"action": "add_passkey"} | passkey.made(options["challenge"]))
        return options["user"]["id"]

    return task


def asked_for_passkey(host, addresses):
    """Opens the sign-in page; gives the cookie, the name of the sign-in and its challenge, and the address."""
    address = addresses.next()

    async def task(client):
        _, fields, page = await client.ask(request("GET", "/login", host, address, [TLS]))
        found = [re.search(rb'data-%s="([^"]*)"' % name, page) for name in (b"state", b"challenge")]
        if None in found:
            raise Refused(f"the sign-in page asks for no passkey: {page[:500].decode()}")
        return [fields[b"set-cookie"][0], *(html.unescape(each[1].decode()) for each in found), address]

    return task


# The measuring


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Figures:
    """The best of the rounds."""

    def __init__(self):
        self.rate, self.cpu, self.redis, self.p50, self.p99 = 0.0, 9e9, 9e9, 9e9, 9e9

    def note(self, count, times, seconds, cpu, redis):
        self.rate = max(self.rate, count / seconds)
        self.cpu, self.redis = min(self.cpu, cpu / count * 1000), min(self.redis, redis / count * 1000)
        self.p50, self.p99 = min(self.p50, at(times, 50) * 1000), min(self.p99, at(times, 99) * 1000)

    def __str__(self):
        return (f"{self.rate:7,.0f}/s  {self.cpu:6.3f} ms CPU  {self.redis:6.3f} ms Redis  "
                f"p50 {self.p50:5.1f} ms  p99 {self.p99:5.1f} ms")


class Bench:
    def __init__(self, chosen, directory):
        self.chosen, self.addresses, self.figures = chosen, Addresses(), {}
        self.port, admin, provider_port, redis_port = (free_port() for _ in range(4))
        self.provider_url = f"http://127.0.0.1:{provider_port}"
        self.key = ProviderKey()
        os.environ["GATEHOUSE_KEY"] = base64.b64encode(os.urandom(32)).decode()
        self.redis = subprocess.Popen(
            [*pinned(CORES[0]), "redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--dir",
             str(directory), "--save", "", "--appendonly", "yes"], stdout=subprocess.DEVNULL)
        self.provider = multiprocessing.Process(target=serve_provider, args=(self.key, provider_port), daemon=True)
        self.provider.start()
        text = CONFIGURATION.format(port=self.port, admin=admin, redis=redis_port)
        for name, algorithm in ALGORITHMS.items():
            text += TENANT.format(name=name, algorithm=algorithm, provider=self.provider_url,
                                  clients=", ".join(CLIENT.format(name=app) for app in CLIENTS))
        self.gateway = Gateway(chosen.gatehouse, text, directory, self.port, admin, prefix=pinned(CORES[-1]))
        wait_until_ready(admin)
        if len(CORES) > 1:
            os.sched_setaffinity(0, {CORES[0]})

    def measure(self, name, what, tasks):
        pids = (self.gateway.process.pid, self.redis.pid)
        before = [cpu_seconds(pid) for pid in pids]
        results, times, seconds = asyncio.run(crowd(self.port, self.chosen.connections, tasks))
        used = [cpu_seconds(pid) - start for pid, start in zip(pids, before)]
        self.figures.setdefault((name, what), Figures()).note(len(tasks), times, seconds, *used)
        return results

    def posts(self, host, target, kind, bodies):
        return [sending(request("POST", target, host, self.addresses.next(), [f"Content-Type: {kind}"], body))
                for body in bodies]

    def round(self, name, number):
        host, issuer = f"{name}.test", f"{self.provider_url}/apple"
        people = [f"{name}-{number}-{each}" for each in range(self.chosen.count)]
        for what in ("Apple exchange, new", "Apple exchange, known"):
            os.sched_setaffinity(0, CORES)
            bodies = apple_bodies(self.key, issuer, people, what)
            os.sched_setaffinity(0, {CORES[0]})
            self.measure(name, what, self.posts(host, "/auth/apple", JSON, bodies))
        visits = [(CLIENTS[place % len(CLIENTS)], person) for place, person in enumerate(people[:self.chosen.codes])]
        pages = [signing_in_by_code(host, app, person, self.addresses) for app, person in visits]
        codes, _, _ = asyncio.run(crowd(self.port, 32, pages))
        forms = [urllib.parse.urlencode({"grant_type": "authorization_code", "client_id": app, "code": code,
                                         "redirect_uri": "app://back", "code_verifier": VERIFIER})
                 for (app, _), code in zip(visits, codes)]
        answers = self.measure(name, "code redeemed", self.posts(host, "/oauth2/token", FORM, forms))
        for _ in range(4):
            forms = [urllib.parse.urlencode({"grant_type": "refresh_token", "client_id": app,
                                             "refresh_token": answer["refresh_token"]})
                     for (app, _), answer in zip(visits, answers)]
            answers = self.measure(name, "refresh grant", self.posts(host, "/oauth2/token", FORM, forms))

        self.round_in_browsers(name, host, people[:self.chosen.codes])

    def round_in_browsers(self, name, host, people):
        visits = [signing_in_by_company(host, person, self.addresses) for person in people]
        self.measure(name, "company, cookies", visits)
        # Passkeys are added after a sign-in that was asked for at the account page.
        visits = [signing_in_by_company(host, person, self.addresses, "/account") for person in people]
        sessions, _, _ = asyncio.run(crowd(self.port, 32, visits))
        passkeys = [Passkey(self.key, host, person) for person in people]
        added = [adding(*each, self.addresses) for each in zip(passkeys, sessions)]
        users, _, _ = asyncio.run(crowd(self.port, 32, added))
        asked, _, _ = asyncio.run(crowd(self.port, 32, [asked_for_passkey(host, self.addresses) for _ in people]))
        uses = []
        for passkey, user, (cookie, state, challenge, address) in zip(passkeys, users, asked):
            form = urllib.parse.urlencode({"state": state} | passkey.used(user, challenge))
            fields = [TLS, f"Cookie: {cookie}", f"Content-Type: {FORM}", f"Origin: https://{host}"]
            uses.append(sending(request("POST", "/account/passkeys", host, address, fields, form)))
        self.measure(name, "passkey", uses)

    def stop(self):
        self.gateway.stop()
        self.provider.kill()
        self.provider.join()
        stop([self.redis])


def pinned(core):
    return ["taskset", "-c", str(core)] if len(CORES) > 1 else []


def wait_until_ready(admin):
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz", timeout=5).close()
            return
        except (urllib.error.HTTPError, OSError):
            time.sleep(0.05)
    sys.exit("the gateway does not get ready")


def main():
    parser = argparse.ArgumentParser(description="Sign-ins a second, and CPU time a sign-in.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--count", type=int, default=4000, help="people a round (default 4000)")
    parser.add_argument("--codes", type=int, default=1000, help="of them who sign in by code (default 1000)")
    parser.add_argument("--connections", type=int, default=64, help="(default 64)")
    parser.add_argument("--rounds", type=int, default=3, help="(default 3)")
    chosen = parser.parse_args()
    require("redis-server", "openssl")
    end_in_order()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(chosen, pathlib.Path(name))
        try:
            for number in range(chosen.rounds):
                for tenant in ALGORITHMS:
                    bench.round(tenant, number)
            for (tenant, what), figures in bench.figures.items():
                print(f"{ALGORITHMS[tenant]}  {what:22} {figures}")
            print(f"the gateway's memory: {bench.gateway.resident() / (1 << 20):.0f} MiB")
        except (Refused, ConnectionError) as error:
            sys.exit(str(error))
        finally:
            bench.stop()


if __name__ == "__main__":
    main()
