"""Authenticators of load tests: what people's devices answer when a passkey is made and used (WebAuthn Level 2)."""

import hashlib
import json

from provider_keys import part

# Somebody was there, and has shown who they are; the key is in the data.
THERE, SHOWN, WITH_KEY = 0x01, 0x04, 0x40


def cbor(value):
    """Of integers, bytes, texts and maps, whose keys have to be in the order of CTAP2 (RFC 8949)."""

    def head(kind, number):
        if number < 24:
            return bytes([kind << 5 | number])
        length = 1 if number < 1 << 8 else 2
        return bytes([kind << 5 | 23 + length]) + number.to_bytes(length, "big")

    match value:
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case dict():
            return head(5, len(value)) + b"".join(cbor(each) for pair in value.items() for each in pair)


class Passkey:
    """One of a site. All have one key, since making RSA keys takes long; their names differ."""

    def __init__(self, key, host, name):
        self.key, self.host = key, host
        self.name = hashlib.sha256(name.encode()).digest()

    def client_data(self, kind, challenge):
        return json.dumps({"type": f"webauthn.{kind}", "challenge": challenge, "origin": f"https://{self.host}",
                           "crossOrigin": False}).encode()

    def data(self, flags):
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + bytes(4)

    def made(self, challenge):
        """The fields of a form that adds it."""
        public = {1: 3, 3: -257, -1: self.key.modulus.to_bytes(256, "big"), -2: self.key.exponent.to_bytes(3, "big")}
        data = self.data(THERE | SHOWN | WITH_KEY) + bytes(16) + len(self.name).to_bytes(2, "big") + self.name
        attestation = cbor({"fmt": "none", "attStmt": {}, "authData": data + cbor(public)})
        return {"challenge": challenge, "client_data": part(self.client_data("create", challenge)).decode(),
                "attestation": part(attestation).decode()}

    def used(self, user, challenge):
        """The fields of a form that signs in with it."""
        data, client = self.data(THERE | SHOWN), self.client_data("get", challenge)
        signature = self.key.signature(data + hashlib.sha256(client).digest())
        fields = {"id": self.name, "client_data": client, "authenticator_data": data, "signature": signature}
        return {name: part(value).decode() for name, value in fields.items()} | {"user_handle": user}
