"""Free ports for servers that the scripts start."""

import random
import socket


def free_port():
    """One that no connection is given for its own end: whoever waits for it would connect to itself."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", random.randrange(10_000, 30_000)))
                return probe.getsockname()[1]
            except OSError:
                continue


def free_ports(count):
    ports = set()
    while len(ports) < count:
        ports.add(free_port())
    return list(ports)
