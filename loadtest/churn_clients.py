"""The clients of churn.py: each kind knows which answers are right at any moment, and notes all others.

An answer may be that of any edition of tenants.yaml that was in force between the sending of the request and the
reading of the answer: from the last that was known to be applied before, to the newest that was in the file after.
"""

import http.client
import json
import random
import socket
import threading
import time

import soak_clients
from faulty_backend import body_of
from refresh_storm import minted
from soak_clients import GOOD, TOKENS, USERS, Client, KeepAlive, WebSocket, any_path

GUESTS = 6


def guests_of(edition):
    """Which of the tenants that come and go are there."""
    return {edition % GUESTS, (edition + 1) % GUESTS, (edition * edition) % GUESTS}


def has_side_door(edition):
    """Whether there is a second listener."""
    return edition % 4 in (2, 3)


class Era:
    """What has been done to the gateway so far, and what therefore may be seen."""

    def __init__(self):
        self.lock = threading.Lock()
        self.applied, self.written = 1, 1
        self.store_returned = None
        self.is_store_up = True
        self.tokens = []

    def lose_store(self):
        self.is_store_up = False

    def return_store(self):
        self.store_returned, self.is_store_up = time.monotonic(), True

    @property
    def may_lack_store(self):
        """While Redis is away, and for 5 s after."""
        returned = self.store_returned
        return not self.is_store_up or returned is not None and time.monotonic() - returned < 5


class Visitor(Client):
    """Requests one after the other on a connection that lasts as long as the gateway lets it, which is all along."""

    pause = 0.02

    def __init__(self, soak, book, era):
        super().__init__(soak, book)
        self.era, self.connection = era, None

    def ask(self, host, path, fields):
        """Gives status, fields and body."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(host)
            self.connection.sock = self.connect(host, False)
        try:
            self.connection.request("GET", path, headers={"Host": host, **fields})
            response = self.connection.getresponse()
            body = response.read()
        except Exception:
            self.connection = None
            raise
        if response.will_close:
            self.connection = None
        return response, body

    def turn(self, stopping):
        self.visit()
        stopping.wait(self.pause)


def code_of(body):
    try:
        return json.loads(body)["code"]
    except (ValueError, KeyError, TypeError):
        return None


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class OfChanging(Visitor):
    """Asks a tenant that every edition changes: its servers, its header rules, its access rules."""

    def visit(self):
        user, path = random.choice(USERS), any_path(("right", "chunked", "private"))
        oldest = self.era.applied
        response, body = self.ask("changing.test", path, bearer(TOKENS[user]))
        newest = self.era.written
        edition = int(response.headers.get("X-Edition", "0"))
        is_right = response.status == 200 and body == body_of(path, user)
        mistake = None
        if not is_right:
            mistake = f"{path}: {response.status} {code_of(body)}, {len(body)} bytes"
        elif not oldest <= edition <= newest:
            mistake = f"{path}: edition {edition}, and not {oldest} to {newest}"
        self.book.note("a tenant that changes", mistake)


class OfGuests(Visitor):
    """Asks tenants that come and go."""

    def visit(self):
        guest = random.randrange(GUESTS)
        oldest = self.era.applied
        path = f"/right/{random.randrange(3000)}/x"
        response, body = self.ask(f"guest-{guest}.test", path, {})
        editions = range(oldest, self.era.written + 1)
        if response.status == 200:
            mistake = None if body == body_of(path) else "another body"
            if not any(guest in guests_of(edition) for edition in editions):
                mistake = f"guest {guest} was served in {list(editions)}"
        elif (response.status, code_of(body)) == (404, "unknown_host"):
            is_away = any(guest not in guests_of(edition) for edition in editions)
            mistake = None if is_away else f"guest {guest} is unknown in {list(editions)}"
        else:
            mistake = f"guest {guest}: {response.status} {code_of(body)}"
        self.book.note(f"a tenant that comes and goes, {response.status}", mistake)


class OfRefreshing(Visitor):
    """Sessions whose tokens are past, each a new one."""

    pause = 0.1

    def visit(self):
        session = f"session-{random.randrange(1 << 60)}"
        old = minted(session, int(time.time()) - 30, 0).decode()
        could_lack = self.era.may_lack_store
        response, body = self.ask("refreshing.test", "/x", bearer(old))
        if response.status == 200 and response.headers.get("X-Refreshed-Token"):
            return self.book.note("refreshed")
        without_store = (response.status, code_of(body)) == (503, "store_unavailable")
        if without_store and (could_lack or self.era.may_lack_store):
            return self.book.note("not refreshed, since Redis was away")
        return self.book.note("refreshed", f"{response.status} {code_of(body)}")


class OfRotating(Visitor):
    """Callers whose provider changes its keys."""

    pause = 0.05

    def visit(self):
        response, body = self.ask("rotating.test", "/right/100/x", bearer(random.choice(self.era.tokens)))
        mistake = None if response.status == 200 else f"{response.status} {code_of(body)}: {body[:200]!r}"
        self.book.note("signed by the provider's newest key", mistake)


class LongWebSocket(WebSocket):
    """One that lasts for many editions, of a tenant that none of them changes."""

    def __init__(self, soak, book, era, tls=False):
        super().__init__(soak, book, tls)
        self.era = era

    def turn(self, stopping):
        with self.connect("well.test", self.tls) as connection, connection.makefile("rb") as stream:
            self.open(connection, stream, "well.test", TOKENS[USERS[1]])
            end = time.monotonic() + random.uniform(20, 90)
            while time.monotonic() < end and not stopping.is_set():
                message = random.randbytes(60)
                self.send(connection, 0x82, message)
                back = self.receive(stream)
                if back != (0x82, message):
                    return self.book.note("long WebSocket, message", f"another message, {back[0]:x}")
                self.book.note("long WebSocket, message")
                stopping.wait(0.25)

    def open(self, connection, stream, host, token):
        connection.sendall(
            f"GET /private/0/ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Authorization: Bearer {token}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                raise ConnectionError("the handshake was not answered")
            head += line
        self.book.note("long WebSocket, opened", None if head.startswith(b"HTTP/1.1 101 ") else repr(head))


class OfRevoked(LongWebSocket):
    """Somebody gets in, opens a WebSocket, is revoked, is refused, and has the WebSocket closed."""

    def turn(self, stopping):
        subject = f"revoked-{random.randrange(1 << 60)}"
        token = soak_clients.token(subject)
        status, _ = self.once("well.test", token)
        self.book.note("not yet revoked", None if status == 200 else f"{status}")
        with self.connect("well.test", False) as connection, connection.makefile("rb") as stream:
            self.open(connection, stream, "well.test", token)
            could_lack = self.era.may_lack_store
            told = self.soak.revoke("well", subject)
            if told != 200:
                is_excused = told == 503 and (could_lack or self.era.may_lack_store)
                self.book.note("not revoked, since Redis was away", None if is_excused else f"{told}")
            else:
                status, body = self.once("well.test", token)
                is_right = (status, code_of(body)) == (401, "token_revoked")
                self.book.note("revoked", None if is_right else f"{status} {code_of(body)}")
                connection.settimeout(5)
                first, payload = self.receive(stream)
                is_right = first == 0x88 and payload[:2] == (1008).to_bytes(2, "big")
                self.book.note("WebSocket of a revoked caller", None if is_right else f"frame {first:x}")
        stopping.wait(1)

    def once(self, host, token):
        connection = http.client.HTTPConnection(host)
        connection.sock = self.connect(host, False)
        connection.request("GET", "/private/10/x", headers=bearer(token))
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body


class OfSideDoor(Client):
    """Whether the second listener is there when it should be."""

    def __init__(self, soak, book, era):
        super().__init__(soak, book)
        self.era = era

    def turn(self, stopping):
        oldest = self.era.applied
        try:
            socket.create_connection(("127.0.0.1", self.soak.side_port), timeout=5).close()
            is_open = True
        except ConnectionError:
            is_open = False
        editions = range(oldest, self.era.written + 1)
        is_right = any(has_side_door(edition) == is_open for edition in editions)
        self.book.note(f"second listener {'open' if is_open else 'closed'}",
                       None if is_right else f"in the editions {list(editions)}")
        stopping.wait(0.2)


def client_threads(churn, book, era, stopping):
    clients = [KeepAlive(churn, book, "well", GOOD, tls=number % 2 == 1) for number in range(4)]
    clients += [KeepAlive(churn, book, "mortal", GOOD, pause=0.05) for _ in range(2)]
    clients += [WebSocket(churn, book, tls) for tls in (False, True)]
    clients += [LongWebSocket(churn, book, era, tls) for tls in (False, True, False, True)]
    clients += [kind(churn, book, era) for kind in (OfChanging, OfChanging, OfGuests, OfGuests, OfRefreshing,
                                                    OfRefreshing, OfRotating, OfRevoked, OfSideDoor)]
    clients += [soak_clients.SlowReader(churn, book), soak_clients.SlowWriter(churn, book)]
    clients += [soak_clients.Aborter(churn, book) for _ in range(2)]
    return [threading.Thread(target=client.run, args=(stopping,)) for client in clients]
