"""What a client checks of an ID token (OpenID Connect Core section 3.1.3.7), and of the keys that sign it."""

import base64
import hashlib
import json
import time

from joserfc import jws
from joserfc.jwk import KeySet

PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def parts(token):
    """Its header and claims, unchecked."""
    return [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in token.split(".")[:2]]


def unsigned(token):
    """The same claims with `alg: none`."""
    header, claims = parts(token)
    del header["kid"]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
               for part in [{**header, "alg": "none"}, claims]]
    return ".".join([*encoded, ""])


def check_signature(test, token, provider, section="Core 3.1.3.7"):
    """Returns the header and the claims."""
    test.need(isinstance(token, str) and token.count(".") == 2, "a token is a signed JWT", section)
    header, _ = parts(token)
    test.must(header.get("alg") in provider.metadata["id_token_signing_alg_values_supported"],
              "its alg is one of those in the metadata", section)
    ours = [key for key in provider.keys["keys"] if key.get("kid") == header.get("kid")]
    test.must(len(ours) == 1, "its kid is that of one key of the set", "Core 10.1")
    try:
        jws.deserialize_compact(token, KeySet.import_key_set(provider.keys), algorithms=[header.get("alg")])
        valid = True
    except Exception:
        valid = False
    test.need(valid, "its signature is that of the key", section)
    return parts(token)


def check(test, token, provider, client, nonce, access_token=None):
    """Returns the claims."""
    header, claims = check_signature(test, token, provider)
    test.must(claims.get("iss") == provider.metadata["issuer"], "iss is the issuer", "Core 3.1.3.7 (2)")
    audience = claims.get("aud")
    test.must(audience == client.id or audience == [client.id], "aud is the client alone", "Core 3.1.3.7 (3)")
    test.must(claims.get("azp", client.id) == client.id, "azp is the client", "Core 3.1.3.7 (5)")
    now = time.time()
    test.must(_is_time(claims.get("exp")) and claims["exp"] > now, "exp is later", "Core 3.1.3.7 (9)")
    test.must(_is_time(claims.get("iat")) and abs(claims["iat"] - now) < 300, "iat is now", "Core 3.1.3.7 (10)")
    test.must(claims.get("nbf", 0) <= now + 5, "nbf has come", "RFC 7519 4.1.5")
    test.must(claims.get("nonce") == nonce, "nonce is that of the request", "Core 3.1.3.7 (11)")
    test.must("auth_time" not in claims or _is_time(claims["auth_time"]), "auth_time is a number", "Core 2")
    test.must("acr" not in claims or isinstance(claims["acr"], str), "acr is a string", "Core 2")
    subject = claims.get("sub")
    test.must(isinstance(subject, str) and 0 < len(subject) <= 255 and subject.isascii(),
              "sub is 1 to 255 ASCII characters", "Core 2")
    if access_token and "at_hash" in claims:
        digest = hashlib.new(f"sha{header['alg'][2:]}", access_token.encode()).digest()
        half = base64.urlsafe_b64encode(digest[:len(digest) // 2]).rstrip(b"=").decode()
        test.must(claims["at_hash"] == half, "at_hash is that of the access token", "Core 3.1.3.8")
    return claims


def check_keys(test, document, algorithms):
    keys = document.get("keys")
    test.need(isinstance(keys, list) and keys, "the key set has keys", "RFC 7517 5")
    for key in keys:
        test.must(key.get("kty") in ["RSA", "EC", "OKP"], "each key is asymmetric", "RFC 7517 4.1")
        test.must(not PRIVATE & set(key), "no key shows a private part", "RFC 7518 6.3.2")
        test.must(key.get("use", "sig") == "sig", "each key is for signatures", "RFC 7517 4.2")
    names = [key.get("kid") for key in keys]
    test.must(all(names) and len(set(names)) == len(names), "each key has a kid of its own", "Core 10.1")
    test.must(any(key["kty"] == "RSA" for key in keys) or "RS256" not in algorithms,
              "there is a key for RS256", "Discovery 3")
    try:
        KeySet.import_key_set(document)
        readable = True
    except Exception:
        readable = False
    test.must(readable, "a library reads the key set", "RFC 7517 5")


def _is_time(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
