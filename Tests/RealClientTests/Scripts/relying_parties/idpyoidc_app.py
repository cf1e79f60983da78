"""An app that signs people in by the library idpyoidc."""

from idpyoidc.client.rp_handler import RPHandler

from sign_in import SCOPES, Place, told

SERVICES = {
    name: {"class": f"idpyoidc.client.oidc.{where}"} for name, where in {
        "discovery": "provider_info_discovery.ProviderInfoDiscovery",
        "authorization": "authorization.Authorization", "access_token": "access_token.AccessToken",
        "refresh_access_token": "refresh_access_token.RefreshAccessToken",
        "userinfo": "userinfo.UserInfo", "end_session": "end_session.EndSession",
    }.items()
}


def main():
    place = Place()
    configuration = {
        "issuer": place.issuer, "client_id": place.client["id"], "client_secret": place.client["secret"],
        "redirect_uris": [place.client["redirect_uri"]], "client_type": "oidc",
        "post_logout_redirect_uris": [place.client["post_logout_redirect_uri"]],
        "response_types_supported": ["code"], "scopes_supported": SCOPES.split(),
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "preference": {"response_types_supported": ["code"]},
        "client_authn_methods": ["client_secret_basic", "bearer_header"], "services": SERVICES,
        "add_ons": {"pkce": {"function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                             "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"}}},
    }
    # Keys of its own, which it would write to files otherwise, and does not need.
    keys = {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}]}
    handler = RPHandler(base_url=place.app, client_configs={"provider": configuration}, key_conf=keys,
                        httpc_params={"verify": place.ca})
    answer = place.sign_in(handler.begin("provider"))
    client = handler.issuer2rp[place.issuer]
    done = handler.finalize(place.issuer, answer.parameters)
    state, claims = done["state"], done["userinfo"].to_dict()
    renewed = handler.refresh_access_token(state)
    again = handler.get_user_info(state, access_token=renewed["access_token"])
    logout = client.logout(state, post_logout_redirect_uri=place.client["post_logout_redirect_uri"])
    told(claims=claims, refreshed=renewed["access_token"] != done["token"] and again["sub"] == claims["sub"],
         logged_out=place.log_out(logout["url"]))


main()
