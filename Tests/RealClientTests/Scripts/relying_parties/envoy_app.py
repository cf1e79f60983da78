"""An app behind Envoy, whose OAuth 2 filter signs people in."""

import json
import pathlib
import sys
import tempfile
import time
import urllib.parse

from sign_in import Place, free_port, id_tokens, running, told, until_it_accepts

ENVOY = pathlib.Path(sys.executable).parent / "envoy"
TLS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
FILTERS = "type.googleapis.com/envoy.extensions.filters.http"
MANAGER = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"


def cluster(name, port, tls=None):
    address = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
    made = {"name": name, "type": "STATIC", "connect_timeout": "5s", "load_assignment": {
        "cluster_name": name, "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]}}
    if tls:
        made["transport_socket"] = {"name": "envoy.transport_sockets.tls", "typed_config": {
            "@type": TLS, "sni": "localhost",
            "common_tls_context": {"validation_context": {"trusted_ca": {"filename": tls}}}}}
    return made


def secret(name, text):
    return {"name": name, "generic_secret": {"secret": {"inline_string": text}}}


def oauth2(place):
    return {"name": "envoy.filters.http.oauth2", "typed_config": {"@type": f"{FILTERS}.oauth2.v3.OAuth2", "config": {
        "token_endpoint": {"cluster": "provider", "uri": f"{place.issuer}/oauth2/token", "timeout": "10s"},
        "authorization_endpoint": f"{place.issuer}/oauth2/authorize",
        "end_session_endpoint": f"{place.issuer}/oauth2/logout",
        "redirect_uri": f"{place.app}/callback", "redirect_path_matcher": {"path": {"exact": "/callback"}},
        "signout_path": {"path": {"exact": "/signout"}},
        "credentials": {"client_id": place.client["id"], "token_secret": {"name": "token"},
                        "hmac_secret": {"name": "hmac"}},
        "auth_scopes": ["openid", "email", "profile"], "auth_type": "BASIC_AUTH", "use_refresh_token": True,
        "forward_bearer_token": True}}}


def configuration(place, port):
    router = {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{FILTERS}.router.v3.Router"}}
    routes = {"virtual_hosts": [{"name": "app", "domains": ["*"], "routes": [
        {"match": {"prefix": "/"}, "route": {"cluster": "backend"}}]}]}
    manager = {"@type": MANAGER, "stat_prefix": "app", "route_config": routes,
               "http_filters": [oauth2(place), router]}
    return {"static_resources": {
        "secrets": [secret("token", place.client["secret"]), secret("hmac", "h" * 32)],
        "listeners": [{"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}, "filter_chains": [
            {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}]}],
        "clusters": [cluster("backend", urllib.parse.urlsplit(place.backend).port),
                     cluster("provider", urllib.parse.urlsplit(place.issuer).port, tls=place.ca)]}}


def main():
    port = free_port()
    place = Place(f"http://127.0.0.1:{port}")
    # Its cookies are for https alone, which this test does without.
    place.person.session.is_lax = True
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "envoy.json")
        file.write_text(json.dumps(configuration(place, port)))
        options = ["--concurrency", "1", "--disable-hot-restart", "--log-level", "warning", "--base-id", str(port)]
        with running(ENVOY, "-c", file, *options) as envoy:
            until_it_accepts(port, envoy)
            result = use(place)
    told(**result)


def access_token(place):
    """What the backend gets, or None while Envoy wants the person to sign in."""
    response = place.person.session.get(f"{place.app}/welcome")
    return response.json()["authorization"].removeprefix("Bearer ") if response.status_code == 200 else None


def use(place):
    landed = place.person.session.get(place.sign_in(f"{place.app}/welcome").url)
    if landed.status_code != 302:
        raise SystemExit(f"{landed.status_code} {landed.text}")
    first = access_token(place)
    _, claims = id_tokens.parts(first)
    second = first
    # It is refreshed when it has expired, by the next request.
    while second == first:
        time.sleep(0.2)
        second = access_token(place)
    # It sends people back to where it is, and nowhere else.
    signed_out = place.log_out(f"{place.app}/signout", f"{place.app}/")
    is_same_session = second is not None and id_tokens.parts(second)[1]["sid"] == claims["sid"]
    return {"claims": claims, "refreshed": is_same_session, "logged_out": signed_out and access_token(place) is None}


main()
