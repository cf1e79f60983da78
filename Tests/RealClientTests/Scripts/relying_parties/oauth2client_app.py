"""An app that signs people in by the library requests_oauth2client, which checks each response itself."""

from requests_oauth2client import ClientSecretBasic, InvalidGrant, OAuth2Client

from sign_in import SCOPES, Place, Session, told


def main():
    place = Place()
    session = Session(place.ca)
    client = OAuth2Client.from_discovery_endpoint(
        issuer=place.issuer, session=session, redirect_uri=place.client["redirect_uri"],
        auth=ClientSecretBasic(place.client["id"], place.client["secret"]))
    request = client.authorization_request(scope=SCOPES)
    response = request.validate_callback(place.sign_in(request.uri).url)
    # With the response it knows what to check of the ID token.
    tokens = client.authorization_code(response, validate=True)
    claims = client.userinfo(tokens)
    renewed = client.refresh_token(tokens)
    again = client.userinfo(renewed)
    client.revoke_refresh_token(renewed)
    try:
        client.refresh_token(renewed)
        over = False
    except InvalidGrant:
        over = True
    told(claims=claims, refreshed=renewed.access_token != tokens.access_token and again["sub"] == claims["sub"],
         logged_out=over and tokens.id_token.sub == claims["sub"])


main()
