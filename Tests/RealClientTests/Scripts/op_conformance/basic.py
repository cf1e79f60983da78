"""The Basic OP plan, oidcc-basic-certification-test-plan: clients that the provider knows, and the code flow.

The Form Post plan has the same tests, with `response_mode=form_post`.
"""

import time

import id_tokens
from modules import Skipped, module
from relying_party import READABLE, is_json, is_opaque

PLAN = "basic"
# OpenID Connect Core section 5.1.
CLAIMS = {
    "profile": ["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile",
                "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
    "email": ["email", "email_verified"], "address": ["address"], "phone": ["phone_number", "phone_number_verified"],
}
TYPES = {"email_verified": bool, "phone_number_verified": bool, "updated_at": (int, float), "address": dict}


@module(PLAN, "oidcc-server")
def server(test, provider):
    """A whole sign-in, by a client that knows nothing of PKCE."""
    id_tokens.check_keys(test, provider.keys, provider.metadata["id_token_signing_alg_values_supported"])
    tokens = provider.sign_in(test, provider.person(), pkce=False)
    provider.user_info(test, tokens)


@module(PLAN, "oidcc-response-type-missing")
def response_type_missing(test, provider):
    request, _ = provider.request(response_type=None)
    answer = provider.authorize(test, provider.person(), {**request, "response_mode": None}, signs_in=False)
    test.must(answer.kind != "sign_in", "nobody is asked to sign in", "RFC 6749 3.1.1")
    if answer.reaches_client:
        provider.error(test, answer, ["invalid_request", "unsupported_response_type"], "RFC 6749 3.1.1")


@module(PLAN, "oidcc-idtoken-signature")
def id_token_signature(test, provider):
    tokens = provider.sign_in(test, provider.person())
    header, _ = id_tokens.parts(tokens.id)
    test.must("kid" in header, "the header has a kid", "Core 10.1")
    test.must(header["alg"] == "RS256", "the algorithm is RS256, as nothing else was registered", "Core 3.1.3.7 (7)")


@module(PLAN, "oidcc-idtoken-unsigned")
def id_token_unsigned(test, provider):
    if "none" not in provider.metadata["id_token_signing_alg_values_supported"]:
        raise Skipped("ID tokens are always signed")
    test.must(False, "`none` is never offered to clients that use the front channel", "Core 2")


@module(PLAN, "oidcc-userinfo-get")
def user_info_get(test, provider):
    tokens = provider.sign_in(test, provider.person())
    check_standard_claims(test, provider.user_info(test, tokens))


@module(PLAN, "oidcc-userinfo-post-header")
def user_info_post_header(test, provider):
    tokens = provider.sign_in(test, provider.person())
    check_standard_claims(test, provider.user_info(test, tokens, "POST header"))


@module(PLAN, "oidcc-userinfo-post-body")
def user_info_post_body(test, provider):
    tokens = provider.sign_in(test, provider.person())
    check_standard_claims(test, provider.user_info(test, tokens, "POST body"))


@module(PLAN, "oidcc-ensure-request-without-nonce-succeeds-for-code-flow")
def without_nonce(test, provider):
    provider.sign_in(test, provider.person(), nonce=None)


def scopes(test, provider, wanted):
    supported = provider.metadata.get("scopes_supported", [])
    missing = [scope for scope in wanted if scope not in supported]
    if missing:
        raise Skipped(f"not in scopes_supported: {', '.join(missing)}")
    tokens = provider.sign_in(test, provider.person(), scope=" ".join(["openid", *wanted]))
    granted = tokens.response.get("scope", " ".join(["openid", *wanted])).split()
    test.must(set(granted) == {"openid", *wanted}, "all of the scopes are granted", "RFC 6749 5.1")
    claims = provider.user_info(test, tokens)
    check_standard_claims(test, claims)
    for scope in wanted:
        test.should(any(name in claims for name in CLAIMS[scope]), f"the user has claims of {scope}", "Core 5.4")


@module(PLAN, "oidcc-scope-profile")
def scope_profile(test, provider):
    scopes(test, provider, ["profile"])


@module(PLAN, "oidcc-scope-email")
def scope_email(test, provider):
    scopes(test, provider, ["email"])


@module(PLAN, "oidcc-scope-address")
def scope_address(test, provider):
    scopes(test, provider, ["address"])


@module(PLAN, "oidcc-scope-phone")
def scope_phone(test, provider):
    scopes(test, provider, ["phone"])


@module(PLAN, "oidcc-scope-all")
def scope_all(test, provider):
    scopes(test, provider, ["address", "email", "phone", "profile"])


@module(PLAN, "oidcc-ensure-other-scope-order-succeeds")
def other_scope_order(test, provider):
    tokens = provider.sign_in(test, provider.person(), scope="email openid")
    test.should("email" in provider.user_info(test, tokens), "the user has an e-mail address", "Core 5.4")


@module(PLAN, "oidcc-display-page")
def display_page(test, provider):
    provider.sign_in(test, provider.person(), display="page")


@module(PLAN, "oidcc-display-popup")
def display_popup(test, provider):
    provider.sign_in(test, provider.person(), display="popup")


@module(PLAN, "oidcc-prompt-login")
def prompt_login(test, provider):
    person = provider.person()
    first = provider.sign_in(test, person)
    time.sleep(1.1)
    second = provider.sign_in(test, person, prompt="login")
    test.must(second.asked, "the person signs in again", "Core 3.1.2.1")
    test.must(first.claims.get("auth_time") != second.claims.get("auth_time") or "auth_time" not in first.claims,
              "auth_time is another", "Core 2")


@module(PLAN, "oidcc-prompt-none-not-logged-in")
def prompt_none_not_logged_in(test, provider):
    request, _ = provider.request(prompt="none")
    answer = provider.authorize(test, provider.person(), request, signs_in=False)
    provider.error(test, answer, ["login_required", "interaction_required"], "Core 3.1.2.6")


def same_sign_in(test, provider, first_changes, second_changes):
    """Two sign-ins of one person in one browser, of which only the first asks."""
    person = provider.person()
    first = provider.sign_in(test, person, **first_changes)
    time.sleep(1.1)
    changes = second_changes(first) if callable(second_changes) else second_changes
    second = provider.sign_in(test, person, **changes)
    test.must(not second.asked, "the person is not asked again", "Core 3.1.2.1")
    test.must(first.claims["sub"] == second.claims["sub"], "sub is the same", "Core 2")
    test.must(first.claims.get("auth_time") == second.claims.get("auth_time"), "auth_time is the same", "Core 2")
    test.must(first.access != second.access, "the access token is another", "RFC 6749 10.10")
    return first, second


@module(PLAN, "oidcc-prompt-none-logged-in")
def prompt_none_logged_in(test, provider):
    same_sign_in(test, provider, {}, {"prompt": "none"})


@module(PLAN, "oidcc-max-age-1")
def max_age_1(test, provider):
    person = provider.person()
    first = provider.sign_in(test, person)
    time.sleep(2.1)
    second = provider.sign_in(test, person, max_age="1")
    test.must(second.asked, "the person signs in again", "Core 3.1.2.1")
    test.need("auth_time" in second.claims, "auth_time is there, since max_age was", "Core 2")
    test.must(second.claims["auth_time"] > first.claims.get("auth_time", 0), "auth_time is later", "Core 2")
    test.must(abs(time.time() - second.claims["auth_time"]) < 60, "auth_time is now", "Core 2")


@module(PLAN, "oidcc-max-age-10000")
def max_age_10000(test, provider):
    first, second = same_sign_in(test, provider, {"max_age": "15000"}, {"max_age": "10000"})
    test.must("auth_time" in first.claims and "auth_time" in second.claims, "auth_time is there", "Core 2")


@module(PLAN, "oidcc-ensure-request-with-unknown-parameter-succeeds")
def unknown_parameter(test, provider):
    provider.sign_in(test, provider.person(), extra="foobar")


@module(PLAN, "oidcc-id-token-hint")
def id_token_hint(test, provider):
    same_sign_in(test, provider, {}, lambda first: {"prompt": "none", "id_token_hint": first.id})


@module(PLAN, "oidcc-login-hint")
def login_hint(test, provider):
    provider.sign_in(test, provider.person(), login_hint="alice@example.com")


@module(PLAN, "oidcc-ui-locales")
def ui_locales(test, provider):
    # The page is read by its English labels: what matters here is that the parameter does no harm.
    provider.sign_in(test, provider.person(), ui_locales="en se")


@module(PLAN, "oidcc-claims-locales")
def claims_locales(test, provider):
    provider.sign_in(test, provider.person(), claims_locales="se")


@module(PLAN, "oidcc-ensure-request-with-acr-values-succeeds")
def acr_values(test, provider):
    wanted = provider.metadata.get("acr_values_supported") or ["1", "2"]
    tokens = provider.sign_in(test, provider.person(), acr_values=" ".join(wanted))
    test.should(tokens.claims.get("acr") in wanted, "acr is one of the requested values", "Core 3.1.2.1")


def reuse_code(test, provider, wait):
    request, secret = provider.request()
    answer = provider.authorize(test, provider.person(), request)
    tokens = provider.redeem(test, answer, request, secret)
    provider.user_info(test, tokens)
    time.sleep(wait)
    response = provider.token_request(secret[0], provider.redemption(tokens.code, request, secret))
    check_token_error(test, response, "invalid_grant", "RFC 6749 5.2")
    return provider.session.get(provider.metadata["userinfo_endpoint"],
                                headers={"Authorization": f"Bearer {tokens.access}"})


@module(PLAN, "oidcc-codereuse")
def code_reuse(test, provider):
    reuse_code(test, provider, 0)


@module(PLAN, "oidcc-codereuse-30seconds")
def code_reuse_after_30_seconds(test, provider):
    response = reuse_code(test, provider, 30)
    test.should(response.status_code == 401, "the code's access token is revoked", "RFC 6749 4.1.2")


@module(PLAN, "oidcc-ensure-registered-redirect-uri")
def registered_redirect_uri(test, provider):
    request, _ = provider.request()
    other = f"{request['redirect_uri']}/other"
    answer = provider.authorize(test, provider.person(), {**request, "redirect_uri": other}, signs_in=False)
    test.must(answer.kind == "page", f"the person gets an error page, not a {answer.kind}", "Core 3.1.2.1")
    test.must(answer.response.status_code >= 400, "its status is that of an error", "RFC 9110 15.5")


@module(PLAN, "oidcc-ensure-post-request-succeeds")
def post_request(test, provider):
    provider.sign_in(test, provider.person(), method="POST")


@module(PLAN, "oidcc-server-client-secret-post")
def client_secret_post(test, provider):
    tokens = provider.sign_in(test, provider.person(), client=provider.clients["post"])
    provider.user_info(test, tokens)


def request_object(test, provider, name, value, error, supported):
    """The request in an object, which only a provider that supports it reads; all others say that they do not."""
    request, _ = provider.request()
    answer = provider.authorize(test, provider.person(), {**request, name: value}, signs_in=False)
    test.must(not provider.metadata.get(supported, name == "request_uri"), f"the metadata says so: {supported}",
              "Discovery 3")
    provider.error(test, answer, [error], "Core 3.1.2.6")
    raise Skipped(f"`{name}` is refused by {error}, as it may be")


@module(PLAN, "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported")
def request_uri(test, provider):
    request_object(test, provider, "request_uri", "https://app.localtest/request.jwt", "request_uri_not_supported",
                   "request_uri_parameter_supported")


@module(PLAN, "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def unsigned_request_object(test, provider):
    request_object(test, provider, "request", "eyJhbGciOiJub25lIn0.e30.", "request_not_supported",
                   "request_parameter_supported")


@module(PLAN, "oidcc-claims-essential")
def claims_essential(test, provider):
    tokens = provider.sign_in(test, provider.person(), claims='{"userinfo":{"name":{"essential":true}}}')
    test.should("name" in provider.user_info(test, tokens), "the user has a name, which was asked for", "Core 5.5")
    test.should("name" not in tokens.claims, "the ID token has no name, which was not", "Core 5.5")


@module(PLAN, "oidcc-ensure-request-object-with-redirect-uri")
def request_object_with_redirect_uri(test, provider):
    if not provider.metadata.get("request_parameter_supported", False):
        raise Skipped("request objects are not supported: request_parameter_supported is false")
    test.must(False, "this runner has no test of request objects: the provider had none", "Core 6.1")


@module(PLAN, "oidcc-refresh-token")
def refresh_token(test, provider):
    """Of two clients, each refreshes its own, and neither the other's."""
    offline = " offline_access" if "offline_access" in provider.metadata.get("scopes_supported", []) else ""
    refreshed = {}
    for name in ["basic", "post"]:
        client = provider.clients[name]
        changes = {"scope": f"openid{offline}", "prompt": "consent" if offline else None}
        first = provider.sign_in(test, provider.person(), client=client, **changes)
        test.need(first.refresh is not None, "there is a refresh token", "Core 12")
        test.should("refresh_token" in provider.metadata["grant_types_supported"], "the metadata says so",
                    "Discovery 3")
        test.must(is_opaque(first.refresh), "the refresh token has visible characters alone", "RFC 6749 A.17")
        refreshed[name] = refresh(test, provider, client, first)
    response = provider.token_request(provider.clients["basic"], {
        "grant_type": "refresh_token", "refresh_token": refreshed["post"]["refresh_token"]})
    check_token_error(test, response, "invalid_grant", "RFC 6749 6")


def refresh(test, provider, client, first):
    response = provider.token_request(client, {"grant_type": "refresh_token", "refresh_token": first.refresh})
    body = provider.tokens(test, response, "Core 12.2")
    test.must(body["access_token"] != first.access, "the access token is another", "RFC 6749 6")
    if "id_token" in body:
        claims = id_tokens.check(test, body["id_token"], provider, client, id_tokens.parts(body["id_token"])[1]
                                 .get("nonce"), body["access_token"])
        for name in ["iss", "sub", "aud", "auth_time", "azp"]:
            test.must(claims.get(name) == first.claims.get(name), f"{name} is as before", "Core 12.2")
        test.must(claims.get("nonce", first.request["nonce"]) == first.request["nonce"],
                  "a nonce is that of the sign-in", "Core 12.2")
    header = {"Authorization": f"Bearer {body['access_token']}"}
    answer = provider.session.get(provider.metadata["userinfo_endpoint"], headers=header)
    test.must(answer.status_code == 200, "the new access token is good", "RFC 6749 6")
    return {"refresh_token": first.refresh, **body}


@module(PLAN, "oidcc-ensure-request-with-valid-pkce-succeeds")
def valid_pkce(test, provider):
    provider.sign_in(test, provider.person(), pkce=True)
    request, secret = provider.request(pkce=True)
    answer = provider.authorize(test, provider.person(), request)
    fields = provider.redemption(provider.code(test, answer), request, secret)
    response = provider.token_request(secret[0], {**fields, "code_verifier": "x" * 43})
    check_token_error(test, response, "invalid_grant", "RFC 7636 4.6")


def check_token_error(test, response, error, section):
    test.must(response.status_code == 400, f"the status is 400, not {response.status_code}", section)
    test.need(is_json(response), "the error is JSON", section)
    body = response.json()
    test.must(body.get("error") == error, f"the error is {error}, not {body.get('error')}", section)
    test.must(set(body.get("error_description", "")) <= READABLE, "error_description is plain text", section)
    test.must("access_token" not in body, "there are no tokens", section)


def check_standard_claims(test, claims):
    """Types of the claims that the specification defines; no claim is empty."""
    for name in [name for names in CLAIMS.values() for name in names if name in claims]:
        value = claims[name]
        test.must(isinstance(value, TYPES.get(name, str)) and value != "", f"{name} is of its type", "Core 5.1")
