"""An app that signs people in by the library Authlib: oidc_client.py ISSUER CA REDIRECT_URI PROVIDER CLIENT [SECRET].

ISSUER is where discovery begins, CA a PEM file. The person in front of the browser follows the links to PROVIDER, and
agrees to everything. Prints one line of JSON: what came of each step.
"""

import html.parser
import json
import socket
import sys
import urllib.parse

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2 import rfc8414, rfc9207
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc.errors import JoseError

look_up = socket.getaddrinfo


def look_up_here(host, *arguments, **options):
    return look_up("127.0.0.1" if host.endswith(".localtest") else host, *arguments, **options)


class Client(OpenIDMixin, OAuth2Session):
    """Authlib's, as its integrations for web frameworks put it together."""

    def load_server_metadata(self):
        return self.server_metadata

    def _get_session(self):
        return trusting(self.verify, KeyFetcher())


class KeyFetcher(requests.Session):
    """Ignores the option not to send a token: it has none."""

    def request(self, *arguments, withhold_token=True, **options):
        return super().request(*arguments, **options)


def trusting(ca, session):
    """Lets a session believe in an authority, whatever the machine's own settings are."""
    session.verify = ca
    session.trust_env = False
    return session


class Document(html.parser.HTMLParser):
    """The links and forms of a page, by the text that is on them."""

    def __init__(self, response):
        super().__init__()
        self.links, self.forms = {}, {}
        self._link, self._form, self._text = None, None, ""
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self._link = attributes["href"]
        elif tag == "form":
            self._form = (attributes["method"], attributes["action"], {})
        elif tag == "input":
            self._form[2][attributes["name"]] = attributes["value"]
        if tag in ["a", "button"]:
            self._text = ""

    def handle_data(self, text):
        self._text += text

    def handle_endtag(self, tag):
        if tag == "a":
            self.links[self._text] = self._link
        elif tag == "button":
            self.forms[self._text] = self._form


def sign_in(url, provider, redirect_uri, ca):
    """Follows the links as a person does, up to the redirect to the app.

    Returns the URL of that redirect.
    """
    browser = trusting(ca, requests.Session())
    page = browser.get(url, allow_redirects=False)
    page.raise_for_status()
    consent = browser.get(Document(page).links[f"Sign in with {provider}"])
    consent.raise_for_status()
    (method, action, fields), = [form for text, form in Document(consent).forms.items() if "Continue" in text]
    where = {"data": fields} if method == "post" else {"params": fields}
    answer = browser.request(method, action, allow_redirects=False, **where)
    while answer.status_code in [302, 303] and not answer.headers["Location"].startswith(redirect_uri):
        answer = browser.get(answer.headers["Location"], allow_redirects=False)
    if answer.status_code not in [302, 303]:
        raise SystemExit(f"{answer.status_code} {answer.text}")
    return answer.headers["Location"]


def refusal(attempt):
    try:
        attempt()
    except (OAuthError, JoseError, requests.HTTPError) as error:
        return getattr(error, "error", None) or error.response.status_code
    return None


def main(issuer, ca, redirect_uri, provider, client_id, secret=None):
    metadata = trusting(ca, requests.Session()).get(f"{issuer}/.well-known/openid-configuration").json()
    OpenIDProviderMetadata(metadata).validate()
    rfc8414.AuthorizationServerMetadata(metadata).validate(metadata_classes=[rfc9207.AuthorizationServerMetadata])
    client = Client(
        client_id, secret, redirect_uri=redirect_uri, scope="openid email profile", code_challenge_method="S256",
        token_endpoint_auth_method="client_secret_basic" if secret else "none",
        revocation_endpoint_auth_method="client_secret_basic" if secret else "none")
    trusting(ca, client)
    client.server_metadata = metadata

    verifier, nonce = generate_token(64), generate_token(20)
    url, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    told = sign_in(url, provider, redirect_uri, ca)
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(told).query))
    token = client.fetch_token(
        metadata["token_endpoint"], authorization_response=told, state=state, code_verifier=verifier)
    claims = client.parse_id_token(token, nonce=nonce)
    result = {
        "issuer": metadata["issuer"], "iss": answer["iss"], "claims": claims, "expires_in": token["expires_in"],
        "at_hash_is_checked": "at_hash" in claims,
        "other_nonce": refusal(lambda: client.parse_id_token(token, nonce="another")),
        "userinfo": client.userinfo(),
    }
    first = dict(token)
    renewed = client.refresh_token(metadata["token_endpoint"])
    result["rotated"] = first["refresh_token"] != renewed["refresh_token"]
    result["subject_after_refresh"] = client.userinfo()["sub"]
    if secret:
        told = client.introspect_token(metadata["introspection_endpoint"], renewed["access_token"])
        result["active"] = told.json()["active"]
    result["revoked"] = client.revoke_token(
        metadata["revocation_endpoint"], renewed["refresh_token"], token_type_hint="refresh_token").status_code
    if secret:
        told = client.introspect_token(metadata["introspection_endpoint"], renewed["access_token"])
        result["active_after_revocation"] = told.json()["active"]
    result["refresh_after_revocation"] = refusal(
        lambda: client.refresh_token(metadata["token_endpoint"], refresh_token=renewed["refresh_token"]))
    result["userinfo_after_revocation"] = refusal(client.userinfo)
    print(json.dumps(result))


socket.getaddrinfo = look_up_here
main(*sys.argv[1:])
