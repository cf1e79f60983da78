"""What the scenarios of loadtest.py play on: backends, Redis, the gateway and its peers, tokens, and k6."""

import base64
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import urllib.request

import app_server
from gateway_process import SECRET, Gateway, token
from peers import ANSWER, Proxy, start_nginx, start_peers, stop_peers
from processes import await_port, end, free_port, raise_open_files, start
from provider_keys import ProviderKey
from refresh_storm import minted

HERE = pathlib.Path(__file__).resolve().parent
CONFIGURATION = """\
version: 1
gateway:
  listen: [ {{ address: "127.0.0.1:{port}" }} ]
  admin: {{ address: "127.0.0.1:{admin}" }}
  store: "redis://127.0.0.1:{redis}/0"
  threads: 1
  limits: {{ connections: 60000, idle_timeout: 10m }}
  log: {{ level: warning, access: false }}
tenants:
  customer:
    hosts: [customer.test]
    backend: {{ servers: ["http://127.0.0.1:{app}"] }}
    authenticate: {{ issuers: [ {{ issuer: load, audiences: [load], algorithms: [RS256], jwks_file: set.json }} ] }}
    identity: {{ headers: {{ X-User-Id: sub }} }}
  finance:
    hosts: [finance.test]
    backend: {{ servers: ["http://127.0.0.1:{app}"] }}
    authenticate:
      from: ["cookie:auth-token", bearer]
      issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ]
  driver:
    hosts: [driver.test]
    backend: {{ servers: ["http://127.0.0.1:{provider}"] }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [HS256], secret: "{secret}" }} ]
      leeway: 0s
    refresh:
      grace: 7d
      call: {{ path: /refresh, send: bearer, access_token: /token }}
      deliver: {{ header: X-Refreshed-Token }}
  clans:
    hosts: [clans.test]
    backend: {{ servers: ["http://127.0.0.1:{app}"] }}
    authenticate:
      issuers: [ {{ issuer: load, algorithms: [RS256], jwks_url: "http://127.0.0.1:{provider}/jwks" }} ]
  chat:
    hosts: [chat.test]
    backend: {{ servers: ["http://127.0.0.1:{echo}"], timeouts: {{ idle: 10m }}, limits: {{ connections: 30000 }} }}
    authenticate: {{ issuers: [ {{ issuer: load, audiences: [load], algorithms: [RS256], jwks_file: set.json }} ] }}
"""
SUBJECTS = 50


class Stage:
    """Everything runs from its making until `close`."""

    def __init__(self, program, directory, k6, envoy):
        self.directory, self.k6_program = directory, k6
        self.open_files = raise_open_files()
        # A proxy needs two for each.
        self.connections = min(60_000, self.open_files // 2 - 400)
        ports = [free_port() for _ in range(6)]
        self.app_port, self.provider_port, self.echo_port, self.redis_port, self.port, self.admin_port = ports
        self.key, self.next_key = ProviderKey(), ProviderKey("next")
        (directory / "set.json").write_text(json.dumps(self.key.key_set()))
        (directory / "public.pem").write_text(public_key(self.key))
        self.app = start_nginx(self, self.app_port, ANSWER)
        self.provider = app_server.start(self.provider_port, self.echo_port)
        self.redis = None
        self.start_redis()
        self.publish(self.key)
        text = CONFIGURATION.format(port=self.port, admin=self.admin_port, redis=self.redis_port, app=self.app_port,
                                    provider=self.provider_port, echo=self.echo_port, secret=SECRET)
        self.gateway = Gateway(program, text, directory, self.port, self.admin_port)
        self.house = Proxy("Gatehouse", self.port, self.gateway.process, True)
        self.await_ready()
        self.peers = start_peers(self, envoy)

    @property
    def proxies(self):
        return [self.house, *self.peers]

    def close(self):
        """Gives the exit status of the gateway."""
        stop_peers(self.peers)
        status = self.gateway.stop()
        self.provider.kill()
        self.provider.join()
        end(self.app)
        end(self.redis)
        return status

    # What scenarios do to it

    def start_redis(self):
        """Keeps what it had before."""
        command = ["redis-server", "--port", self.redis_port, "--bind", "127.0.0.1", "--dir", self.directory, "--save",
                   "", "--appendonly", "yes"]
        self.redis = start(command, self.directory / "redis.log")
        await_port(self.redis_port, self.redis, "redis-server")

    def kill_redis(self):
        self.redis.kill()
        self.redis.wait()

    def put(self, path, body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.provider_port}/{path}", body, method="PUT")
        urllib.request.urlopen(request, timeout=10).close()

    def publish(self, *keys):
        """The provider's key set from now on."""
        self.put("jwks", json.dumps({"keys": [each for key in keys for each in key.key_set()["keys"]]}).encode())

    def books(self):
        """What the provider was asked since the last time."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.provider_port}/books", timeout=10) as response:
            return json.load(response)

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

    def await_ready(self):
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/readyz", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("the gateway is not ready")

    # Tokens

    def good_tokens(self, key=None):
        """RS256, one for each of 50 subjects."""
        end = int(time.time()) + 7200
        return [(key or self.key).token({"iss": "load", "aud": "load", "sub": f"user-{number}", "exp": end}).decode()
                for number in range(SUBJECTS)]

    def bad_tokens(self, count):
        """Each with a signature that is another one's, all different."""
        first = self.good_tokens()[0].rpartition(".")
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return [first[0] + "." + "".join(random.choices(alphabet, k=len(first[2]) - 1)) + first[2][-1]
                for _ in range(count)]

    @staticmethod
    def plain_tokens():
        """HS256, one for each of 50 subjects."""
        return [token(f"user-{number}") for number in range(SUBJECTS)]

    @staticmethod
    def past_tokens(name, count):
        """Of so many sessions, all of which have ended a second ago."""
        end = int(time.time()) - 1
        return [minted(f"{name}-{number}", end, 0).decode() for number in range(count)]

    # k6

    def k6(self, script, proxy=None, tokens=None, **environment):
        """Runs a script of k6/ to its end."""
        values = {name.upper(): str(value) for name, value in environment.items()}
        (self.directory / "tokens.json").write_text(json.dumps(tokens or {}))
        rows, summary = self.directory / "k6.csv", self.directory / "k6.json"
        rows.unlink(missing_ok=True)
        values.update(TARGET=f"127.0.0.1:{(proxy or self.house).port}", CONTROL=f"127.0.0.1:{self.peers[0].port}",
                      TOKENS=str(self.directory / "tokens.json"), SUMMARY=str(summary), K6_CSV_TIME_FORMAT="unix_milli")
        command = [self.k6_program, "run", "--quiet", "--no-usage-report", "--system-tags", "status,error_code",
                   "--out", f"csv={rows}", HERE / "k6" / f"{script}.js"]
        log = self.directory / f"k6-{script}.log"
        process = start(command, log, env={**os.environ, **values}, cwd=self.directory)
        return K6(process, rows, summary, log)


class K6:
    """A run of k6; what it measured once it has ended."""

    def __init__(self, process, rows, summary, log):
        self.process, self.rows, self.summary, self.log = process, rows, summary, log
        self.begin, self.answers, self.metrics = time.time(), [], {}

    def wait(self, seconds=300):
        status = self.process.wait(timeout=seconds)
        # 99: a threshold was crossed, which the summary tells of too.
        if status not in (0, 99) or not self.summary.exists():
            sys.exit(f"k6 has failed ({status}): {self.log.read_text(errors='replace')[-3000:]}")
        self.metrics = json.loads(self.summary.read_text())["metrics"]
        self.crossed = [f"{name}: {expression}" for name, metric in self.metrics.items()
                        for expression, threshold in metric.get("thresholds", {}).items() if not threshold["ok"]]
        with open(self.rows, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["metric_name"] != "http_req_duration":
                    continue
                tags = dict(pair.split("=", 1) for pair in row["extra_tags"].split("&") if "=" in pair)
                self.answers.append((int(row["timestamp"]) / 1000, tags.get("tenant", ""), int(row["status"] or 0),
                                     float(row["metric_value"])))
        self.answers.sort()
        return self

    def count(self, name, value="count"):
        return self.metrics.get(name, {}).get("values", {}).get(value, 0)

    def times(self, tenant=None, since=0.0, until=float("inf")):
        """Milliseconds of the answers, sorted; moments are seconds since the first answer."""
        if not self.answers:
            return []
        begin = self.answers[0][0]
        return sorted(answer[3] for answer in self.answers
                      if (tenant is None or answer[1] == tenant) and since <= answer[0] - begin < until)

    def series(self, tenant, percent, width=1.0):
        """That percentile of each second: (seconds, milliseconds)."""
        begin, slots = self.answers[0][0], {}
        for moment, name, _, milliseconds in self.answers:
            if name == tenant:
                slots.setdefault(int((moment - begin) / width), []).append(milliseconds)
        return [(slot * width, at(sorted(values), percent)) for slot, values in sorted(slots.items())]

    def rates(self, tenant, width=1.0):
        """Answers a second: (seconds, answers)."""
        begin, slots = self.answers[0][0], {}
        for moment, name, _, _ in self.answers:
            if name == tenant:
                slots[int((moment - begin) / width)] = slots.get(int((moment - begin) / width), 0) + 1
        return [(slot * width, count / width) for slot, count in sorted(slots.items())]


def at(values, percent):
    """A percentile of sorted values; 0 of none."""
    return values[min(len(values) - 1, int(len(values) * percent / 100))] if values else 0.0


def public_key(key):
    """As HAProxy wants it: PEM of a SubjectPublicKeyInfo (RFC 5280)."""

    def wrapped(kind, content):
        length = len(content)
        size = bytes([length]) if length < 128 else b"\x82" + length.to_bytes(2, "big")
        return bytes([kind]) + size + content

    def integer(number):
        return wrapped(2, number.to_bytes(number.bit_length() // 8 + 1, "big"))

    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    numbers = wrapped(0x30, integer(key.modulus) + integer(key.exponent))
    text = base64.encodebytes(wrapped(0x30, algorithm + wrapped(3, b"\0" + numbers))).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{text}-----END PUBLIC KEY-----\n"


def run(command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout
