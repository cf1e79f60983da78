"""Passkeys by another implementation: passkeys.py SITE CA.

SITE is the origin of a tenant with an account page, CA a PEM file. The library fido2 writes the responses of
authenticators, reads the gateway's options and judges the same responses. Prints one line of JSON: what came of each
algorithm.
"""

import html.parser
import json
import os
import socket
import sys
import urllib.parse

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, EdDSA
from fido2.server import Fido2Server
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData,
                            PublicKeyCredentialCreationOptions, PublicKeyCredentialRpEntity,
                            PublicKeyCredentialUserEntity)

FLAG = AuthenticatorData.FLAG
look_up = socket.getaddrinfo


def look_up_here(host, *arguments, **options):
    return look_up("127.0.0.1" if host.endswith(".localtest") else host, *arguments, **options)


class Page(html.parser.HTMLParser):
    """The links of a page by their text, its forms, and the place that its script works with."""

    def __init__(self, text):
        super().__init__()
        self.links, self.forms, self.place, self._link = {}, [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self._link = attributes["href"]
        elif tag == "form":
            self.forms.append((attributes["method"], attributes["action"], {}))
        elif tag == "input" and "name" in attributes:
            self.forms[-1][2][attributes["name"]] = attributes["value"]
        elif attributes.get("id") == "passkey":
            self.place = {name.removeprefix("data-"): value for name, value in attributes.items()}

    def handle_data(self, text):
        if self._link:
            self.links[text] = self._link

    def handle_endtag(self, tag):
        if tag == "a":
            self._link = None


class Authenticator:
    """One that makes a key of this kind, and counts."""

    def __init__(self, kind):
        self.id, self.count, self.handle = os.urandom(32), 0, None
        if kind == "ES256":
            self._key, key = ec.generate_private_key(ec.SECP256R1()), ES256
            self._sign = lambda data: self._key.sign(data, ec.ECDSA(hashes.SHA256()))
        elif kind == "EdDSA":
            self._key, key = ed25519.Ed25519PrivateKey.generate(), EdDSA
            self._sign = self._key.sign
        else:
            self._key, key = rsa.generate_private_key(65537, 2048), RS256
            self._sign = lambda data: self._key.sign(data, padding.PKCS1v15(), hashes.SHA256())
        self.public = key.from_cryptography_key(self._key.public_key())

    def make(self, options, origin, packed):
        self.handle = options.user.id
        client = CollectedClientData.create(CollectedClientData.TYPE.CREATE, options.challenge, origin)
        credential = AttestedCredentialData.create(bytes(16), self.id, self.public)
        flags = FLAG.UP | FLAG.UV | FLAG.AT
        data = AuthenticatorData.create(sha256(options.rp.id.encode()), flags, self.count, credential)
        statement = {"alg": self.public.ALGORITHM, "sig": self._sign(data + client.hash)} if packed else {}
        return client, AttestationObject.create("packed" if packed else "none", data, statement)

    def get(self, challenge, relying_party, origin):
        self.count += 1
        client = CollectedClientData.create(CollectedClientData.TYPE.GET, challenge, origin)
        data = AuthenticatorData.create(sha256(relying_party.encode()), FLAG.UP | FLAG.UV, self.count)
        return client, data, self._sign(data + client.hash)


def browser(ca):
    session = requests.Session()
    session.verify, session.trust_env = ca, False
    return session


def sign_in(site, ca):
    """Somebody in front of the account page, by a provider."""
    person = browser(ca)
    login = person.get(f"{site}/account")
    consent = person.get(Page(login.text).links["Sign in with Google"])
    method, action, fields = next(form for form in Page(consent.text).forms if "cancel" not in str(form).lower())
    return person, person.request(method, action, **({"data": fields} if method == "post" else {"params": fields}))


def round_trip(site, ca, kind, packed):
    relying_party = urllib.parse.urlsplit(site).hostname
    judge = Fido2Server(PublicKeyCredentialRpEntity(id=relying_party, name="Shop"), verify_origin=lambda it: it == site)
    authenticator = Authenticator(kind)
    origin = {"Origin": site}

    person, account = sign_in(site, ca)
    place = Page(account.text).place
    begun = person.post(site + place["url"], {"action": "begin_passkey", "token": place["token"]}, headers=origin)
    options = PublicKeyCredentialCreationOptions.from_dict(begun.json()["options"])
    client, attestation = authenticator.make(options, site, packed)
    user = PublicKeyCredentialUserEntity(id=options.user.id, name="x", display_name="x")
    _, state = judge.register_begin(user, challenge=options.challenge, user_verification="required")
    response = {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attestation)}
    judged = judge.register_complete(state, {"id": websafe_encode(authenticator.id), "type": "public-key",
                                             "rawId": websafe_encode(authenticator.id), "response": response})
    added = person.post(site + place["url"], {
        "action": "add_passkey", "token": place["token"], "name": kind, "challenge": websafe_encode(options.challenge),
        "client_data": websafe_encode(client), "attestation": websafe_encode(attestation)}, headers=origin)
    first = person.get(f"{site}/auth/me").json()["user"]["sub"]

    # In another browser.
    other = browser(ca)
    place = Page(other.get(f"{site}/auth/login").text).place
    client, data, signature = authenticator.get(websafe_decode(place["challenge"]), place["rp"], site)
    _, state = judge.authenticate_begin([judged.credential_data], user_verification="required",
                                        challenge=websafe_decode(place["challenge"]))
    response = {"clientDataJSON": websafe_encode(client), "authenticatorData": websafe_encode(data),
                "signature": websafe_encode(signature), "userHandle": websafe_encode(authenticator.handle)}
    judge.authenticate_complete(state, [judged.credential_data], {
        "id": websafe_encode(authenticator.id), "rawId": websafe_encode(authenticator.id), "type": "public-key",
        "response": response})
    fields = {
        "state": place["state"], "id": websafe_encode(authenticator.id), "client_data": websafe_encode(client),
        "authenticator_data": websafe_encode(data), "signature": websafe_encode(signature),
        "user_handle": websafe_encode(authenticator.handle)}
    signed_in = other.post(site + place["url"], fields, headers=origin)
    again = other.post(site + place["url"], fields, headers=origin)
    return {"algorithms": [parameter.alg for parameter in options.pub_key_cred_params],
            "added": added.json().get("location"), "location": signed_in.json().get("location"),
            "same": other.get(f"{site}/auth/me").json()["user"]["sub"] == first, "again": again.status_code,
            "elsewhere": browser(ca).post(site + place["url"], fields, headers=origin).status_code}


def main(site, ca):
    cases = [(kind, packed) for kind in ["ES256", "EdDSA", "RS256"] for packed in [False, True]]
    return {f"{kind}{' packed' if packed else ''}": round_trip(site, ca, kind, packed) for kind, packed in cases}


socket.getaddrinfo = look_up_here
print(json.dumps(main(*sys.argv[1:])))
