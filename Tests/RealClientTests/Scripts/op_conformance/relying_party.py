"""The provider as its clients see it: discovery, authorization requests, tokens and claims of users."""

import base64
import copy
import hashlib
import secrets
import string
import time
import urllib.parse

from joserfc import jwt
from joserfc.jwk import ECKey

import id_tokens
from person import Person, Session

READABLE = set(map(chr, [0x20, 0x21, *range(0x23, 0x5C), *range(0x5D, 0x7F)]))


# Of the client that authenticates by `private_key_jwt`.
KEY = ECKey.generate_key("P-256", {"kid": "relying-party", "use": "sig", "alg": "ES256"})
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Client:
    def __init__(self, values):
        self.id, self.secret, self.method = values["id"], values.get("secret"), values["method"]
        self.redirect_uri, self.after_logout = values["redirect_uri"], values["post_logout_redirect_uri"]

    def authentication(self, audience):
        """Of a request to the token endpoint: fields of its form, and a header's user and password."""
        if self.method == "private_key_jwt":
            # RFC 7523 section 3.
            claims = {"iss": self.id, "sub": self.id, "aud": audience, "jti": secrets.token_urlsafe(16),
                      "iat": int(time.time()), "exp": int(time.time()) + 60}
            header = {"alg": "ES256", "kid": KEY.kid}
            return {"client_assertion_type": ASSERTION, "client_assertion": jwt.encode(header, claims, KEY)}, None
        if self.method == "client_secret_basic":
            return {}, tuple(urllib.parse.quote_plus(part) for part in [self.id, self.secret])
        if self.method == "client_secret_post":
            return {"client_id": self.id, "client_secret": self.secret}, None
        return {"client_id": self.id}, None


class Tokens:
    def __init__(self, response, claims, request, code):
        self.access, self.id, self.refresh = (response.get(f"{kind}_token") for kind in ["access", "id", "refresh"])
        self.response, self.claims, self.request, self.code = response, claims, request, code


class Provider:
    """One provider, and the options of a plan."""

    def __init__(self, values, mailbox):
        self.issuer, self.ca, self.login = values["issuer"], values["ca"], values["provider"]
        self.clients = {name: Client(client) for name, client in values["clients"].items()}
        # Whether every client must send a challenge; public clients always do.
        self.always_pkce, self.form_post = values["pkce"], False
        self.mailbox, self.session = mailbox, Session(self.ca)
        self.discovery = self.session.get(f"{self.issuer}/.well-known/openid-configuration")
        self.metadata = self.discovery.json()
        self.keys = self.session.get(self.metadata["jwks_uri"]).json()

    def with_form_post(self):
        other = copy.copy(self)
        other.form_post = True
        return other

    @property
    def client(self):
        return self.clients["basic"]

    def person(self):
        return Person(self.ca, self.login)

    def request(self, client=None, pkce=None, **changes):
        """An authorization request; a parameter that is None is left out.

        Returns it, and what its redemption needs.
        """
        client, verifier = client or self.client, None
        parameters = {
            "response_type": "code", "client_id": client.id, "redirect_uri": client.redirect_uri, "scope": "openid",
            "state": secrets.token_urlsafe(12), "nonce": secrets.token_urlsafe(12),
        }
        if self.form_post:
            parameters["response_mode"] = "form_post"
        if self.always_pkce or client.method == "none" if pkce is None else pkce:
            verifier = secrets.token_urlsafe(48)
            digest = hashlib.sha256(verifier.encode()).digest()
            parameters["code_challenge"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            parameters["code_challenge_method"] = "S256"
        parameters.update(changes)
        return {name: value for name, value in parameters.items() if value is not None}, (client, verifier)

    def authorize(self, test, person, parameters, method="GET", signs_in=True):
        answer = person.authorize(self.metadata["authorization_endpoint"], parameters, method, signs_in)
        if answer.reaches_client:
            self._check_response(test, answer, parameters)
        return answer

    def _check_response(self, test, answer, parameters):
        names = [name for name, _ in answer.pairs]
        test.must(len(set(names)) == len(names), "no parameter of the response comes twice", "RFC 6749 3.1")
        expected = "form_post" if parameters.get("response_mode") == "form_post" else "query"
        test.must(answer.kind == expected, f"the response comes by {expected}, not {answer.kind}", "Response Types 2.1")
        test.must(answer.parameters.get("state") == parameters.get("state"), "state is that of the request",
                  "RFC 6749 4.1.2")
        if self.metadata.get("authorization_response_iss_parameter_supported"):
            test.must(answer.parameters.get("iss") == self.metadata["issuer"], "iss is the issuer", "RFC 9207 2")

    def code(self, test, answer):
        """The code of a response, which must be a success."""
        error = answer.parameters.get("error_description") or answer.parameters.get("error") or answer.description
        test.need("code" in answer.parameters, f"the response has a code, not: {error}", "RFC 6749 4.1.2")
        test.must("error" not in answer.parameters, "the response has no error beside the code", "RFC 6749 4.1.2.1")
        return answer.parameters["code"]

    def error(self, test, answer, allowed, section):
        """Checks an error that the client gets."""
        test.need(answer.reaches_client, f"the client gets an error, not a {answer.kind}", section)
        given = answer.parameters
        test.must(given.get("error") in allowed, f"error is {' or '.join(allowed)}, not {given.get('error')}", section)
        test.must("code" not in given, "there is no code beside an error", "RFC 6749 4.1.2.1")
        test.must(set(given.get("error_description", "")) <= READABLE, "error_description is plain text",
                  "RFC 6749 4.1.2.1")

    def token_request(self, client, fields, audience=None):
        """Parameter audience: Of a client's assertion; the endpoint, if there is none."""
        form, basic = client.authentication(audience or self.metadata["token_endpoint"])
        return self.session.post(self.metadata["token_endpoint"], data={**fields, **form}, auth=basic)

    def redemption(self, code, request, secret):
        client, verifier = secret
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": request["redirect_uri"]}
        return {**fields, "code_verifier": verifier} if verifier else fields

    def tokens(self, test, response, section="RFC 6749 5.1"):
        """Checks a token response, and returns it."""
        test.need(response.status_code == 200, f"tokens are issued: {response.status_code} {response.text[:200]}",
                  section)
        test.must(is_json(response), "the response is JSON", section)
        test.must("no-store" in response.headers.get("Cache-Control", ""), "the response is not stored", section)
        body = response.json()
        test.need(isinstance(body.get("access_token"), str), "there is an access token", section)
        test.must(str(body.get("token_type")).lower() == "bearer", "token_type is Bearer", "Core 3.1.3.3")
        test.must(isinstance(body.get("expires_in"), int) and body["expires_in"] > 0, "expires_in is a number", section)
        return body

    def redeem(self, test, answer, request, secret):
        code = self.code(test, answer)
        response = self.token_request(secret[0], self.redemption(code, request, secret))
        body = self.tokens(test, response)
        claims = id_tokens.check(test, body.get("id_token"), self, secret[0], request.get("nonce"),
                                 body["access_token"])
        return Tokens(body, claims, request, code)

    def sign_in(self, test, person, method="GET", client=None, pkce=None, **changes):
        """A whole sign-in, from the request to the tokens."""
        request, secret = self.request(client, pkce, **changes)
        answer = self.authorize(test, person, request, method)
        tokens = self.redeem(test, answer, request, secret)
        tokens.asked = answer.asked
        return tokens

    def user_info(self, test, tokens, how="GET"):
        """The user's claims, by one of three ways to send the token."""
        endpoint, header = self.metadata["userinfo_endpoint"], {"Authorization": f"Bearer {tokens.access}"}
        if how == "GET":
            response = self.session.get(endpoint, headers=header)
        elif how == "POST header":
            response = self.session.post(endpoint, headers=header)
        else:
            response = self.session.post(endpoint, data={"access_token": tokens.access})
        test.need(response.status_code == 200, f"the claims are given: {response.status_code}", "Core 5.3")
        test.must(is_json(response), "the response is JSON", "Core 5.3.2")
        claims = response.json()
        test.must(claims.get("sub") == tokens.claims["sub"], "sub is that of the ID token", "Core 5.3.2")
        return claims


def is_json(response):
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "application/json"


def is_opaque(token):
    """Whether a token has no characters but visible ones (RFC 6749 appendix A.17)."""
    return bool(token) and set(token) <= set(string.printable) and token.isprintable()
