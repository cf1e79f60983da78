"""An app behind Debian's Apache, whose mod_auth_openidc signs people in."""

import pathlib
import tempfile
import urllib.parse

from sign_in import SCOPES, Place, free_port, running, told, until_it_accepts

MODULES = "/usr/lib/apache2/modules"
LOADED = ["mpm_event", "authn_core", "authz_core", "authz_user", "headers", "proxy", "proxy_http", "auth_openidc"]
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
LogLevel warn
{modules}
Listen 127.0.0.1:{port}
ServerLimit 1
ThreadsPerChild 25
MaxRequestWorkers 25
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCCABundlePath {ca}
OIDCClientID {client[id]}
OIDCClientSecret {client[secret]}
OIDCRedirectURI {app}/callback
OIDCCryptoPassphrase for-this-test-alone
OIDCScope "{scopes}"
OIDCPKCEMethod S256
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCInfoHook access_token userinfo
OIDCCacheType shm
<Location />
  AuthType openid-connect
  Require valid-user
</Location>
<Location /signed-out>
  AuthType None
  Require all granted
</Location>
ProxyPass /callback !
ProxyPass / {backend}/
"""


def information(place):
    return place.person.session.get(f"{place.app}/callback?info=json").json()


def main():
    port = free_port()
    place = Place(f"http://127.0.0.1:{port}")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o755)
        configuration = pathlib.Path(folder, "apache.conf")
        configuration.write_text(CONFIGURATION.format(
            folder=folder, port=port, issuer=place.issuer, ca=place.ca, client=place.client, app=place.app,
            scopes=SCOPES, backend=place.backend,
            modules="\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)))
        with running("/usr/sbin/apache2", "-DFOREGROUND", "-f", configuration) as apache:
            until_it_accepts(port, apache)
            try:
                result = use(place)
            except Exception as error:
                raise SystemExit(f"{error}\n{pathlib.Path(folder, 'error.log').read_text()[-4000:]}") from error
    told(**result)


def use(place):
    answer = place.sign_in(f"{place.app}/welcome")
    landed = place.person.session.get(answer.url)
    if landed.status_code != 302:
        raise RuntimeError(landed.text)
    seen = place.person.session.get(landed.headers["Location"])
    first = information(place)
    query = urllib.parse.urlencode({"refresh": f"{place.app}/welcome", "access_token": first["access_token"]})
    place.person.session.get(f"{place.app}/callback?{query}")
    second = information(place)
    after = urllib.parse.quote(place.client["post_logout_redirect_uri"])
    signed_out = place.log_out(f"{place.app}/callback?logout={after}")
    return {"claims": first["userinfo"] if seen.status_code == 200 else {},
            "refreshed": first["access_token"] != second["access_token"], "logged_out": signed_out}


main()
