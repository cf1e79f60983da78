#!/usr/bin/env python3
"""What 1, 100, 1,000 and 10,000 tenants cost: start, reload, memory and requests, beside nginx, Envoy and Caddy.

Usage: many_tenants.py PROGRAM [COUNT…] [--seconds N] [--markdown FILE] [--svg FILE]

Each proxy has as many virtual hosts as there are tenants, with a backend each, and one worker. The gateway's tenants
extend one template and verify a token; the peers verify nothing. A reload gives the middle one another host and is over
when that answers. Fails if the gateway breaks a bound.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "Benchmarks")]

import side_by_side  # noqa: E402
from gateway_process import SECRET, token  # noqa: E402
from processes import cpu_seconds, end, family, free_port  # noqa: E402

MOST_START, MOST_APPLYING, MOST_BYTES, MOST_COST = 3.0, 0.1, 24 * 1024, 1.05
ROUNDS = 3
WRK = """
local hosts, position = {{{hosts}}}, 0
request = function()
  position = position % #hosts + 1
  return wrk.format(nil, nil, {{ ["Host"] = hosts[position], ["Authorization"] = "Bearer {token}" }})
end
"""
GATEHOUSE = """\
version: 1
gateway:
  listen: [{{ address: 127.0.0.1:{port} }}]
  admin: {{ address: 127.0.0.1:{admin} }}
  store: "memory:"
  threads: 1
  log: {{ access: false }}
templates:
  app:
    authenticate:
      issuers: [{{ issuer: load, algorithms: [HS256], secret: {secret} }}]
      from: [bearer, "cookie:session"]
    access:
      - {{ path: /public/**, allow: anyone }}
      - {{ path: /admin/**, allow: {{ roles: [admin] }} }}
    identity: {{ headers: {{ X-User-Id: sub }} }}
tenants:
"""
NGINX = """\
daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log /dev/null;
events {{ worker_connections 2048; }}
http {{
  access_log off; keepalive_requests 1000000000;
  server_names_hash_max_size 65536; server_names_hash_bucket_size 128;
  server {{ listen 127.0.0.1:{port} default_server; return 404; }}
"""
NGINX_HOST = """\
  upstream b{number} {{ server 127.0.0.1:{backend}; keepalive 16; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{port}; server_name {names}; location / {{
    proxy_pass http://b{number}; proxy_http_version 1.1; proxy_set_header Connection ""; }} }}
"""


def hosts(number, other):
    return [f"t{number}.test"] + ([f"u{number}.test"] if number == other else [])


def command_of(name):
    """A peer's program: on PATH, or in the environment of the load tests."""
    found = shutil.which(name)
    beside = pathlib.Path(__file__).resolve().parent.parent / ".build/load-environment/bin" / name
    return found or (str(beside) if beside.exists() else None)


class Proxy:
    """A proxy with as many virtual hosts."""

    def __init__(self, directory, count, backend):
        self.directory, self.count, self.backend = directory, count, backend
        self.port, self.admin = free_port(), free_port()
        self.process = None

    def configure(self, other=None):
        """Writes the configuration; the host with the number `other` has another name too."""
        raise NotImplementedError

    def command(self):
        raise NotImplementedError

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def start(self):
        """Seconds until the last host answers."""
        self.configure()
        began = time.monotonic()
        self.process = subprocess.Popen(
            side_by_side.pinned(self.command(), side_by_side.PROXY_CORE), cwd=self.directory,
            stdout=subprocess.DEVNULL, stderr=open(self.directory / f"{self.name}.log", "wb"))
        self.await_host(f"t{self.count - 1}.test")
        return time.monotonic() - began

    def await_host(self, host):
        for _ in range(60_000):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request("GET", "/", headers={"Host": host, "Authorization": f"Bearer {TOKEN}"})
                response = connection.getresponse()
                # Caddy answers 200 without a body for a host that it does not know.
                if response.read() and response.status == 200:
                    return
            except (OSError, http.client.HTTPException):
                if self.process.poll() is not None:
                    break
            finally:
                connection.close()
            time.sleep(0.001)
        sys.exit(f"{self.name} with {self.count} hosts does not answer for {host}")

    def timed_reload(self):
        """Seconds until a host that was added answers."""
        self.configure(other=self.count // 2)
        began = time.monotonic()
        self.reload()
        self.await_host(f"u{self.count // 2}.test")
        return time.monotonic() - began

    def bytes(self):
        """The memory of all its processes: pages that they share, as nginx's master and worker do, count once."""
        total = 0
        for pid in family(self.process.pid):
            for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        return total

    def cost(self, names, seconds):
        """CPU microseconds of a request, the best of the rounds."""
        script = self.directory / "wrk.lua"
        script.write_text(WRK.format(hosts=", ".join(f'"{name}"' for name in names), token=TOKEN))
        best = None
        for _ in range(ROUNDS):
            before = cpu_seconds(family(self.process.pid))
            output = subprocess.run(
                side_by_side.pinned(["wrk", "-t1", "-c16", f"-d{seconds}s", "-s", str(script),
                                     f"http://127.0.0.1:{self.port}/api/things"], side_by_side.LOAD_CORE),
                check=True, capture_output=True, text=True).stdout
            used = cpu_seconds(family(self.process.pid)) - before
            if "Non-2xx" in output:
                sys.exit(f"{self.name}: {output}")
            requests = int(output.split(" requests in ")[0].split()[-1])
            best = min(best or 1e9, used / requests * 1e6)
        return best

    def stop(self):
        end(self.process, seconds=60)


class Gatehouse(Proxy):
    name = "Gatehouse"

    def configure(self, other=None):
        lines = [GATEHOUSE.format(port=self.port, admin=self.admin, secret=SECRET)]
        for number in range(self.count):
            lines.append(
                f"  t{number}:\n    extends: app\n    hosts: [{', '.join(hosts(number, other))}]\n"
                f"    backend: {{ servers: [ http://127.0.0.1:{self.backend} ] }}\n")
        (self.directory / "tenants.yaml").write_text("".join(lines))

    def command(self):
        return [PROGRAM, "run", "--config", "tenants.yaml"]

    def applying(self):
        """Seconds of the last reload from its reading until it was in force."""
        for line in reversed((self.directory / "Gatehouse.log").read_text().splitlines()):
            if "put_into_force_ms" in line:
                return int(json.loads(line)["put_into_force_ms"]) / 1000
        return None


class Nginx(Proxy):
    name = "nginx"

    def configure(self, other=None):
        lines = [NGINX.format(directory=self.directory, port=self.port)]
        for number in range(self.count):
            lines.append(NGINX_HOST.format(
                number=number, port=self.port, backend=self.backend, names=" ".join(hosts(number, other))))
        (self.directory / "nginx.conf").write_text("".join(lines) + "}\n")

    def command(self):
        return ["nginx", "-p", str(self.directory), "-c", "nginx.conf", "-e", "/dev/null"]


class Envoy(Proxy):
    name = "Envoy"

    def configure(self, other=None):
        def cluster(number):
            address = {"socket_address": {"address": "127.0.0.1", "port_value": self.backend}}
            return {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": f"b{number}",
                    "type": "STATIC", "load_assignment": {"cluster_name": f"b{number}", "endpoints": [
                        {"lb_endpoints": [{"endpoint": {"address": address}}]}]}}

        def host(number):
            return {"name": f"t{number}", "domains": hosts(number, other),
                    "routes": [{"match": {"prefix": "/"}, "route": {"cluster": f"b{number}"}}]}

        every = range(self.count)
        routes = {"@type": "type.googleapis.com/envoy.config.route.v3.RouteConfiguration", "name": "all",
                  "virtual_hosts": [host(number) for number in every]}
        self.write("clusters.json", {"resources": [cluster(number) for number in every]})
        self.write("routes.json", {"resources": [routes]})
        manager = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
        router = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"

        def watched(name):
            return {"path_config_source": {"path": str(self.directory / name)}, "resource_api_version": "V3"}

        self.write("envoy.json", {
            "node": {"id": "load", "cluster": "load"},
            "dynamic_resources": {"cds_config": watched("clusters.json")},
            "static_resources": {"listeners": [{
                "address": {"socket_address": {"address": "127.0.0.1", "port_value": self.port}},
                "filter_chains": [{"filters": [{"name": "http", "typed_config": {
                    "@type": manager, "stat_prefix": "in", "generate_request_id": False,
                    "rds": {"route_config_name": "all", "config_source": watched("routes.json")},
                    "http_filters": [{"name": "router", "typed_config": {"@type": router}}]}}]}]}]}})

    def write(self, name, value):
        # Envoy sees a file that is moved into place.
        part = self.directory / f"{name}.part"
        part.write_text(json.dumps(value))
        part.rename(self.directory / name)

    def command(self):
        return [command_of("envoy"), "--concurrency", "1", "--use-dynamic-base-id", "--disable-hot-restart", "-l",
                "error", "-c", "envoy.json"]

    def reload(self):
        pass


class Caddy(Proxy):
    name = "Caddy"

    def configure(self, other=None):
        lines = [f"{{\n  admin 127.0.0.1:{self.admin}\n  auto_https off\n  persist_config off\n}}\n"]
        for number in range(self.count):
            names = ", ".join(f"http://{name}:{self.port}" for name in hosts(number, other))
            lines.append(f"{names} {{\n  bind 127.0.0.1\n  reverse_proxy 127.0.0.1:{self.backend}\n}}\n")
        (self.directory / "Caddyfile").write_text("".join(lines))

    def command(self):
        return ["env", "GOMAXPROCS=1", f"HOME={self.directory}", command_of("caddy"), "run", "--config", "Caddyfile"]

    def reload(self):
        subprocess.Popen(
            [command_of("caddy"), "reload", "--config", "Caddyfile", "--address", f"127.0.0.1:{self.admin}"],
            cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(kind, directory, count, backend, seconds):
    home = directory / f"{kind.name}-{count}"
    home.mkdir()
    proxy = kind(home, count, backend)
    found = {"name": kind.name, "count": count, "start": proxy.start()}
    try:
        time.sleep(1)
        found["bytes"] = proxy.bytes()
        found["cost"] = proxy.cost([f"t{count // 2}.test"], seconds)
        shuffled = random.Random(22).sample(range(count), min(count, 1000))
        found["spread"] = proxy.cost([f"t{number}.test" for number in shuffled], seconds)
        found["reload"] = proxy.timed_reload()
        if kind is Gatehouse:
            time.sleep(0.5)
            found["applying"] = proxy.applying()
        time.sleep(1)
        found["bytes_after"] = proxy.bytes()
    finally:
        proxy.stop()
    print(json.dumps(found), flush=True)
    return found


def table(found):
    lines = ["| | tenants | ready after | reload | memory, and after the reload | of one tenant | CPU µs a request to one, to all |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for each in found:
        base = next(one for one in found if one["name"] == each["name"])
        more = each["count"] - base["count"]
        single = f"{(each['bytes'] - base['bytes']) / more / 1024:.1f} KiB" if more else ""
        applied = f" ({each['applying'] * 1000:.0f} ms)" if each.get("applying") is not None else ""
        lines.append(
            f"| {each['name']} | {each['count']:,} | {each['start']:.2f} s | {each['reload']:.2f} s{applied} | "
            f"{each['bytes'] >> 20:,} MiB, {each['bytes_after'] >> 20:,} MiB | {single} | "
            f"{each['cost']:.1f}, {each['spread']:.1f} |")
    return "\n".join(lines) + "\n"


def picture(found):
    """Memory and start by tenants, each proxy's with the most tenants as bars."""
    most = max(each["count"] for each in found)
    rows = [each for each in found if each["count"] == most]
    groups = [("ready after, seconds", "start", 1), ("reload, seconds", "reload", 1), ("memory, MiB", "bytes", 1 << 20)]
    lines, top = [], 36
    for title, key, unit in groups:
        lines.append(f'  <text class="dim" x="0" y="{top}">{title}</text>')
        largest = max(each[key] for each in rows)
        for each in rows:
            top += 34
            value = each[key] / unit
            width = max(2, 520 * each[key] / largest)
            ours = each["name"] == "Gatehouse"
            weight = ' font-weight="600"' if ours else ""
            shown = f"{value:,.0f}" if unit > 1 else f"{value:.2f}"
            lines += [
                f'  <text x="0" y="{top}"{weight}>{each["name"]}</text>',
                f'  <rect class="{"ours" if ours else "bar"}" x="150" y="{top - 18}" width="{width:.0f}" height="24" rx="4"/>',
                f'  <text x="{160 + width:.0f}" y="{top}"{weight}>{shown}</text>']
        top += 44
    said = "; ".join(f"{each['name']} {each['start']:.2f} s, {each['bytes'] >> 20} MiB" for each in rows)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {top - 20}" role="img" '
        f'aria-label="{most:,} tenants, ready after and memory: {said}" font-family="system-ui, sans-serif" font-size="15">',
        "  <style>text { fill: #0f172a } .bar { fill: #94a3b8 } .ours { fill: #4f46e5 } .dim { fill: #475569; font-size: 13px }",
        "    @media (prefers-color-scheme: dark) { text { fill: #e2e8f0 } .bar { fill: #64748b } .ours { fill: #818cf8 } "
        ".dim { fill: #94a3b8 } }</style>",
        f'  <text class="dim" x="0" y="14">{most:,} tenants; less is better</text>']
    return "\n".join(head + lines) + "\n</svg>\n"


def broken(found):
    """The bounds that the gateway has broken."""
    ours = [each for each in found if each["name"] == "Gatehouse"]
    for each in ours:
        if each["start"] > MOST_START:
            yield f"{each['count']:,} tenants are ready after {each['start']:.2f} s, of {MOST_START} s"
        if (each["applying"] or 0) > MOST_APPLYING:
            yield f"a change among {each['count']:,} tenants is in force after {each['applying'] * 1000:.0f} ms, of {MOST_APPLYING * 1000:.0f}"
        more = each["count"] - ours[0]["count"]
        if more >= 100 and (single := (each["bytes"] - ours[0]["bytes"]) / more) > MOST_BYTES:
            yield f"a tenant of {each['count']:,} has {single / 1024:.1f} KiB, of {MOST_BYTES >> 10}"
        if each["cost"] > MOST_COST * ours[0]["cost"]:
            yield f"a request costs {each['cost'] / ours[0]['cost']:.3f} × that with one tenant, with {each['count']:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("counts", type=int, nargs="*", default=[1, 100, 1000, 10000])
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--peers", default="nginx,envoy,caddy", help="separated by commas; those that are installed")
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    arguments = parser.parse_args()
    global PROGRAM, TOKEN
    PROGRAM, TOKEN = os.path.abspath(arguments.program), token("somebody")
    side_by_side.require("wrk", "nginx")
    kinds = {"nginx": Nginx, "envoy": Envoy, "caddy": Caddy}
    peers = [kinds[name] for name in arguments.peers.split(",") if name and command_of(name)]
    found = []
    with tempfile.TemporaryDirectory(prefix="tenants-") as directory:
        directory = pathlib.Path(directory)
        with side_by_side.Processes(directory) as processes:
            backend = free_port()
            processes.backend(backend)
            for kind in [Gatehouse, *peers]:
                found += [measure(kind, directory, count, backend, arguments.seconds) for count in arguments.counts]
    text = table(found)
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text)
    if arguments.svg:
        arguments.svg.write_text(picture(found))
    if faults := list(broken(found)):
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
