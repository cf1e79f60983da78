"""What the relying parties have in common: where they are, where their provider is, and the person who signs in."""

import contextlib
import ctypes
import json
import pathlib
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "op_conformance"))

import id_tokens  # noqa: E402, F401
import own_server  # noqa: E402
from person import Person, Session  # noqa: E402, F401

SCOPES = "openid email profile"
# PR_SET_PDEATHSIG of prctl(2).
END_WITH_PARENT = 1


class Place:
    """Of a relying party, whose provider is told of it first."""

    def __init__(self, app=None):
        """Parameter app: The origin of the app; its own server's, if nothing else is it."""
        port = own_server.start()
        self.app = app or f"http://app.localtest:{port}"
        print(json.dumps({"port": port, "app": self.app}), flush=True)
        given = json.loads(sys.stdin.readline())
        self.issuer, self.ca, self.backend = given["issuer"], given["ca"], f"http://127.0.0.1:{port}"
        self.client = given["clients"]["basic"]
        self.person = Person(self.ca, given["provider"])

    def sign_in(self, url):
        """The response that a URL leads to, for the client's redirect URI."""
        answer = self.person.follow(self.person.session.get(url), self.client["redirect_uri"])
        if answer.kind != "query":
            raise SystemExit(f"{answer.kind} {answer.response.status_code} {answer.response.text[:2000]}")
        return answer

    def log_out(self, url, back=None):
        """Whether a logout URL leads back to the app."""
        _, location, _ = self.person.log_out(url, {}, back or self.client["post_logout_redirect_uri"])
        return location is not None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until_it_accepts(port, process):
    """Waits for a server, as long as it runs."""
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise SystemExit(f"{process.args[0]} has ended: {process.returncode}")


def heed_signals():
    """In a new process: lets signals in, which are blocked here as in the test, and asks for one when this one ends."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGTERM)


@contextlib.contextmanager
def running(*arguments):
    """A server, which is stopped at the end, and also if this program is killed."""
    process = subprocess.Popen(arguments, preexec_fn=heed_signals)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def told(**result):
    """Says what came of it, after which this program may be killed at any time."""
    print(json.dumps(result), flush=True)
