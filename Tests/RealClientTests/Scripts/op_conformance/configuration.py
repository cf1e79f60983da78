"""The Config OP plan, oidcc-config-certification-test-plan: what discovery says."""

import re

import id_tokens
from modules import module
from relying_party import is_json

PLAN = "config"
ENDPOINT = re.compile(r"https://[^/?#@\s]+(/[^#\s]*)?")
SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def check_endpoints(test, metadata, *required):
    for name in required:
        test.must(name in metadata, f"there is a {name}", "Discovery 3")
    for name, value in metadata.items():
        if name.endswith("_endpoint") or name == "jwks_uri":
            test.must(isinstance(value, str) and ENDPOINT.fullmatch(value) is not None, f"{name} is an https URL",
                      "Discovery 3")


def check_lists(test, metadata):
    lists = [name for name in metadata if name.endswith("_supported") and isinstance(metadata[name], list)]
    for name in lists:
        values = metadata[name]
        test.must(values and all(isinstance(value, str) for value in values), f"{name} is a list of texts",
                  "Discovery 3")
        test.must(len(set(values)) == len(values), f"{name} has no value twice", "Discovery 3")
    for name in ["response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported"]:
        test.must(name in lists, f"there are {name}", "Discovery 3")
    for name in ["ui_locales_supported", "claims_locales_supported"]:
        test.must(all(LANGUAGE.fullmatch(tag) for tag in metadata.get(name, [])), f"{name} are language tags",
                  "RFC 8414 2")


@module(PLAN, "oidcc-discovery-endpoint-verification")
def discovery(test, provider):
    metadata, response = provider.metadata, provider.discovery
    test.must(response.status_code == 200, "the status is 200", "Discovery 4.2")
    test.must(is_json(response), "the document is JSON", "Discovery 4.2")
    issuer = metadata.get("issuer", "")
    test.must(response.url == f"{issuer}/.well-known/openid-configuration", "the issuer is where the document is",
              "Discovery 4.3")
    test.must(ENDPOINT.fullmatch(issuer) is not None and "?" not in issuer, "the issuer is an https URL without query",
              "RFC 8414 2")
    check_endpoints(test, metadata, "authorization_endpoint", "token_endpoint", "jwks_uri")
    test.should("userinfo_endpoint" in metadata, "there is a userinfo_endpoint", "Discovery 3")
    check_lists(test, metadata)
    test.must("code" in metadata["response_types_supported"], "the code flow is supported", "Discovery 3")
    test.must(set(metadata["subject_types_supported"]) <= {"public", "pairwise"}, "subject types are known",
              "Discovery 3")
    test.must("RS256" in metadata["id_token_signing_alg_values_supported"], "RS256 is supported", "Discovery 3")
    test.must("authorization_code" in metadata.get("grant_types_supported", ["authorization_code"]),
              "the grant of codes is supported", "Discovery 3")
    scopes = metadata.get("scopes_supported", [])
    test.must("openid" in scopes, "the scope openid is supported", "Discovery 3")
    test.must(all(SCOPE.fullmatch(scope) for scope in scopes), "scopes are well formed", "RFC 6749 3.3")
    test.should(bool(metadata.get("claims_supported")), "there are claims_supported", "Discovery 3")
    for name in ["claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"]:
        test.must(isinstance(metadata.get(name, False), bool), f"{name} is true or false", "Discovery 3")
    test.must(isinstance(metadata.get("code_challenge_methods_supported", []), list),
              "code_challenge_methods_supported is a list", "RFC 8414 2")
    id_tokens.check_keys(test, provider.keys, metadata["id_token_signing_alg_values_supported"])
