"""The tests of the Basic OP plan about clients that authenticate with a key, by `private_key_jwt`."""

import id_tokens
from modules import Skipped, module

PLAN = "private_key_jwt"


def client_of(test, provider):
    if PLAN not in provider.metadata["token_endpoint_auth_methods_supported"]:
        raise Skipped("not in token_endpoint_auth_methods_supported: private_key_jwt")
    test.need("key" in provider.clients, "a client can be registered with a key", "Core 9")
    algorithms = provider.metadata.get("token_endpoint_auth_signing_alg_values_supported", [])
    test.must("ES256" in algorithms, "the metadata has the algorithms of assertions", "Discovery 3")
    return provider.clients["key"]


@module(PLAN, "oidcc-server")
def server(test, provider):
    tokens = provider.sign_in(test, provider.person(), client=client_of(test, provider))
    provider.user_info(test, tokens)


@module(PLAN, "oidcc-ensure-client-assertion-with-iss-aud-succeeds")
def issuer_as_audience(test, provider):
    client = client_of(test, provider)
    request, secret = provider.request(client)
    answer = provider.authorize(test, provider.person(), request)
    fields = provider.redemption(provider.code(test, answer), request, secret)
    body = provider.tokens(test, provider.token_request(client, fields, provider.metadata["issuer"]))
    id_tokens.check(test, body.get("id_token"), provider, client, request["nonce"], body["access_token"])
