"""What benchmarks share that measure several proxies in one run: starting them, and the CPU time of a request.

Each proxy has one worker; with two cores or more it has the last to itself, and the load generator and the backend have
the first. The figure to trust is the CPU time that a process spends on a request: throughput depends on what else the
machine does. The best of the rounds counts, since interference only adds.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

CORES = sorted(os.sched_getaffinity(0))
PROXY_CORE, LOAD_CORE = CORES[-1], CORES[0]

NGINX = """
daemon off; worker_processes 1; pid {directory}/nginx-{port}.pid; error_log /dev/null;
events {{ worker_connections 2048; }}
http {{
  access_log off; keepalive_requests 1000000000; server_names_hash_max_size 8192;
  upstream backend {{ server 127.0.0.1:{backend}; keepalive 128; keepalive_requests 1000000000; }}
  {http}
  server {{
    listen 127.0.0.1:{port} backlog=1024 default_server;
    {server}
  }}
}}
"""
PLAIN_PROXY = 'proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";'
ANSWER = f'default_type application/json; return 200 \'{{"data":"{"x" * 500}"}}\';'


def require(*tools):
    """Ends the program unless these are installed."""
    os.environ["PATH"] += ":/usr/sbin"
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        sys.exit(f"not found: {' and '.join(missing)}: apt-get install {' '.join(missing)}")


def pinned(command, core):
    return ["taskset", "-c", str(core), *command] if len(CORES) > 1 else command


class Processes:
    """Servers, each in the directory of the run, that all end with the block."""

    def __init__(self, directory):
        self.directory = directory
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            self.stop(process)

    def stop(self, process):
        # nginx takes its worker along only if it is asked to end.
        process.terminate()
        process.wait()

    def start(self, command, url, core=PROXY_CORE, directory=None, output=None):
        """Returns the process once the address answers with anything but a 503."""
        process = subprocess.Popen(pinned(command, core), cwd=directory or self.directory, stdout=output, stderr=output)
        self.running.append(process)
        for _ in range(2400):
            try:
                urllib.request.urlopen(url, timeout=1)
                return process
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    return process
            except OSError:
                pass
            if process.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit(f"{' '.join(command)}: nothing answers {url}")

    def nginx(self, port, backend, location=PLAIN_PROXY, http="", server=None, core=PROXY_CORE):
        file = self.directory / f"nginx-{port}.conf"
        file.write_text(NGINX.format(
            directory=self.directory, port=port, backend=backend, http=http,
            server=server or f"location / {{ {location} }}"))
        return self.start(["nginx", "-p", str(self.directory), "-c", str(file)], f"http://127.0.0.1:{port}/", core)

    def backend(self, port):
        """An nginx that answers each request with 512 bytes of JSON."""
        return self.nginx(port, port, ANSWER, core=LOAD_CORE)


def run(program, *arguments, directory):
    return subprocess.run(
        [program, *arguments], cwd=directory, check=True, capture_output=True, text=True).stdout.strip()


def cpu_seconds(pid):
    """User and system time of a process and its children, nginx's worker among them."""
    pids = [pid]
    for other in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = other.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            pids.append(int(other.parent.name))
    ticks = 0
    for each in pids:
        fields = pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(name, pid, url, headers, seconds, script=None, warm_up=True):
    """Microseconds of CPU a request of 64 connections that are kept busy, requests a second, and their number."""
    wrk = pinned(["wrk", "-t1", "-c64"], LOAD_CORE)
    for header in headers:
        wrk += ["-H", header]
    if script:
        wrk += ["-s", str(script)]
    if warm_up:
        subprocess.run([*wrk, "-d1s", url], check=True, capture_output=True)
    before = cpu_seconds(pid)
    report = subprocess.run([*wrk, f"-d{seconds}s", url], check=True, capture_output=True, text=True).stdout
    used = cpu_seconds(pid) - before
    requests = int(re.search(r"(\d+) requests in", report).group(1))
    if "Non-2xx" in report:
        sys.exit(f"{name} refused requests:\n{report}")
    return used / requests * 1e6, requests / seconds, requests
