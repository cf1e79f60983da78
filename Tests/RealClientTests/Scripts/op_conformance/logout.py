"""The plans of logout: initiated by the client, and told to clients by the back and by the front channel."""

import queue
import secrets
import time
import urllib.parse

import id_tokens
from configuration import check_endpoints
from modules import Skipped, module

INITIATED, BACK, FRONT = "rp-initiated-logout", "backchannel-logout", "frontchannel-logout"
EVENT = "http://schemas.openid.net/event/backchannel-logout"
# What is told in the background has so many seconds to come.
PATIENCE = 15


class Logout:
    """A sign-in, and the request to end it."""

    def __init__(self, test, provider, client="basic"):
        self.test, self.provider, self.client = test, provider, provider.clients[client]
        self.person = provider.person()
        self.tokens = provider.sign_in(test, self.person, client=self.client)
        self.parameters = {"id_token_hint": self.tokens.id, "post_logout_redirect_uri": self.client.after_logout,
                           "state": secrets.token_hex(64)}
        self.frames = []

    def go(self, **changes):
        """Returns the response, and the URL that it leads back to, or None."""
        self.parameters.update(changes)
        given = {name: value for name, value in self.parameters.items() if value is not None}
        endpoint = self.provider.metadata["end_session_endpoint"]
        response, location, self.frames = self.person.log_out(endpoint, given, self.client.after_logout)
        return response, location

    def must_return(self, location):
        self.test.need(location is not None, "the person is sent back to the client", "RP-Initiated 3")
        query = urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query, keep_blank_values=True)
        state = self.parameters["state"]
        self.test.must(query == ([("state", state)] if state else []), "with the state of the request and nothing else",
                       "RP-Initiated 3")

    def must_stay(self, response, location):
        self.test.must(location is None, "nobody is sent to the client", "RP-Initiated 3")
        kind = response.headers.get("Content-Type", "")
        self.test.must(kind.startswith("text/html"), "the person sees a page", "RP-Initiated 2")

    def must_be_over(self):
        """Nobody is signed in any more, and the tokens are of no use."""
        request, _ = self.provider.request(self.client, prompt="none")
        answer = self.provider.authorize(self.test, self.person, request, signs_in=False)
        allowed = ["login_required", "interaction_required"]
        self.provider.error(self.test, answer, allowed, "Core 3.1.2.6")
        fields = {"grant_type": "refresh_token", "refresh_token": self.tokens.refresh}
        self.test.should(self.provider.token_request(self.client, fields).status_code == 400,
                         "the refresh token is revoked", "Back-Channel Logout 2.7")


@module(INITIATED, "oidcc-rp-initiated-logout-discovery-endpoint-verification")
def discovery(test, provider):
    check_endpoints(test, provider.metadata, "end_session_endpoint")


@module(INITIATED, "oidcc-rp-initiated-logout")
def initiated(test, provider):
    logout = Logout(test, provider)
    logout.must_return(logout.go()[1])
    logout.must_be_over()


@module(INITIATED, "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri")
def bad_redirect_uri(test, provider):
    logout = Logout(test, provider)
    logout.must_stay(*logout.go(post_logout_redirect_uri="https://somewhere.localtest/else"))


@module(INITIATED, "oidcc-rp-initiated-logout-modified-id-token-hint")
def modified_hint(test, provider):
    logout = Logout(test, provider)
    logout.must_stay(*logout.go(id_token_hint=id_tokens.unsigned(logout.tokens.id)))


@module(INITIATED, "oidcc-rp-initiated-logout-no-id-token-hint")
def no_hint(test, provider):
    logout = Logout(test, provider)
    logout.must_stay(*logout.go(id_token_hint=None))


@module(INITIATED, "oidcc-rp-initiated-logout-no-params")
def no_parameters(test, provider):
    logout = Logout(test, provider)
    logout.must_stay(*logout.go(id_token_hint=None, post_logout_redirect_uri=None, state=None))


@module(INITIATED, "oidcc-rp-initiated-logout-no-post-logout-redirect-uri")
def no_redirect_uri(test, provider):
    logout = Logout(test, provider)
    response, location = logout.go(post_logout_redirect_uri=None)
    logout.must_stay(response, location)
    test.must(response.status_code == 200, "the page says that all went well", "RP-Initiated 2")
    logout.must_be_over()


@module(INITIATED, "oidcc-rp-initiated-logout-no-state")
def no_state(test, provider):
    logout = Logout(test, provider)
    logout.must_return(logout.go(state=None)[1])
    logout.must_be_over()


@module(INITIATED, "oidcc-rp-initiated-logout-only-state")
def only_state(test, provider):
    logout = Logout(test, provider)
    logout.must_stay(*logout.go(id_token_hint=None, post_logout_redirect_uri=None))


@module(BACK, "oidcc-backchannel-logout-discovery-endpoint-verification")
def back_channel_discovery(test, provider):
    check_endpoints(test, provider.metadata, "end_session_endpoint")
    for name in ["backchannel_logout_supported", "backchannel_logout_session_supported"]:
        test.must(provider.metadata.get(name) is True, f"{name} is true", "Back-Channel Logout 2.1")


@module(BACK, "oidcc-backchannel-rp-initiated-logout")
def back_channel(test, provider):
    logout = Logout(test, provider)
    logout.must_return(logout.go()[1])
    fields = told(test, provider, logout.tokens)
    check_logout_token(test, provider, logout, fields["logout_token"])
    logout.must_be_over()


def told(test, provider, tokens):
    """The form of the request that names the session; those of other tests are passed over."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fields = provider.mailbox.get(timeout=max(0, until - time.monotonic()))
        except queue.Empty:
            test.need(False, "the client is told", "Back-Channel Logout 2.5")
        names = list(fields)
        if "logout_token" not in fields:
            test.need(False, f"the form has a logout_token, not {names}", "Back-Channel Logout 2.5")
        if id_tokens.parts(fields["logout_token"])[1].get("sid", "") == tokens.claims.get("sid"):
            test.should(names == ["logout_token"], "the form has nothing else", "Back-Channel Logout 2.5")
            return fields


def check_logout_token(test, provider, logout, token):
    section = "Back-Channel Logout 2.4"
    header, claims = id_tokens.check_signature(test, token, provider, section)
    test.should(header.get("typ") == "logout+jwt", "typ is logout+jwt", section)
    test.must(claims.get("iss") == provider.metadata["issuer"], "iss is the issuer", section)
    test.must(claims.get("aud") in [logout.client.id, [logout.client.id]], "aud is the client", section)
    now = time.time()
    test.must(abs(claims.get("iat", 0) - now) < 300, "iat is now", section)
    test.must(claims.get("exp", 0) > now, "exp is later", section)
    test.must(isinstance(claims.get("jti"), str), "there is a jti", section)
    test.must(claims.get("events") == {EVENT: {}}, "events names the logout", section)
    test.must("nonce" not in claims, "there is no nonce", section)
    test.must("sub" in claims or "sid" in claims, "there is a sub or a sid", section)
    for name in ["sub", "sid"]:
        test.must(claims.get(name, logout.tokens.claims[name]) == logout.tokens.claims[name],
                  f"{name} is that of the ID token", section)


def skip_without_front_channel(provider):
    if not provider.metadata.get("frontchannel_logout_supported", False):
        raise Skipped("front-channel logout is not supported: no frontchannel_logout_supported")


@module(FRONT, "oidcc-frontchannel-logout-discovery-endpoint-verification")
def front_channel_discovery(test, provider):
    skip_without_front_channel(provider)
    check_endpoints(test, provider.metadata, "end_session_endpoint")
    for name in ["frontchannel_logout_supported", "frontchannel_logout_session_supported"]:
        test.must(provider.metadata.get(name) is True, f"{name} is true", "Front-Channel Logout 3")


@module(FRONT, "oidcc-frontchannel-rp-initiated-logout")
def front_channel(test, provider):
    skip_without_front_channel(provider)
    logout = Logout(test, provider, "post")
    _, location = logout.go()
    test.need(len(logout.frames) == 1, "the page has one frame, the client's", "Front-Channel Logout 2")
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(logout.frames[0]).query))
    test.must(query.get("iss") == provider.metadata["issuer"], "iss is the issuer", "Front-Channel Logout 2")
    test.must(query.get("sid") == logout.tokens.claims.get("sid"), "sid is that of the ID token",
              "Front-Channel Logout 2")
    test.should(set(query) == {"iss", "sid"}, "there is nothing else", "Front-Channel Logout 2")
    logout.must_return(location)
    logout.must_be_over()
