"""A provider's RSA key for load tests, in Python alone but for its making."""

import base64
import hashlib
import json
import subprocess

DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=")


def encoded(value):
    return part(json.dumps(value).encode())


def integers(der):
    """The integers of a DER sequence (X.690): all that a PKCS#1 key is."""

    def head(place):
        length, place = der[place + 1], place + 2
        if length & 0x80:
            count = length & 0x7F
            length, place = int.from_bytes(der[place:place + count], "big"), place + count
        return length, place

    _, place = head(0)
    found = []
    while place < len(der):
        length, place = head(place)
        found.append(int.from_bytes(der[place:place + length], "big"))
        place += length
    return found


class ProviderKey:
    """Signs identity tokens by RS256 (RFC 7518 section 3.3)."""

    def __init__(self, identifier="load"):
        self.identifier = identifier
        made = subprocess.run(["openssl", "genrsa", "-traditional", "2048"], check=True, capture_output=True).stdout
        der = subprocess.run(["openssl", "rsa", "-traditional", "-outform", "DER"], input=made, check=True,
                             capture_output=True).stdout
        _, self.modulus, self.exponent, _, self.p, self.q, self.dp, self.dq, self.inverse = integers(der)
        self.header = encoded({"alg": "RS256", "kid": identifier, "typ": "JWT"})

    def key_set(self):
        numbers = {"n": self.modulus, "e": self.exponent}
        values = {name: part(number.to_bytes((number.bit_length() + 7) // 8, "big")).decode()
                  for name, number in numbers.items()}
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.identifier, **values}]}

    def token(self, claims):
        signed = self.header + b"." + encoded(claims)
        return signed + b"." + part(self.signature(signed))

    def signature(self, signed):
        """Of PKCS #1, with SHA-256."""
        end = b"\0" + DIGEST_INFO + hashlib.sha256(signed).digest()
        message = int.from_bytes(b"\0\1" + b"\xff" * (254 - len(end)) + end, "big")
        # By the Chinese remainder theorem (RFC 8017 section 5.1.2), which takes a third of the time.
        first, second = pow(message, self.dp, self.p), pow(message, self.dq, self.q)
        signature = second + (first - second) * self.inverse % self.p * self.q
        return signature.to_bytes(256, "big")
