@testable import Tenants

extension DocumentedKey {
    /// What a file has to have beside the example of a key and of those below it, by the key's path: YAML by path, or
    /// nil for a key that has to go.
    static let companions: [String: KeyValuePairs<String, String?>] = [
        "gateway.listen[].tls": ["tenants.NAME.tls": "{ certificate_file: tls/chain.pem, key_file: tls/key.pem }"],
        "tenants.NAME.extends": ["templates": "{ mobile: { max_staleness: 5m } }"],
        "gateway.events.secret_file": ["gateway.events.secret": nil],
        "gateway.redirect_https": ["gateway.trusted_proxies": "[10.0.0.0/8]"],
        "gateway.ext_authz": ["gateway.trusted_proxies": "[10.0.0.0/8]"],
        "tenants.NAME.strip_prefix": ["tenants.NAME.path_prefix": "/shop"],
        "tenants.NAME.backend.servers[].weight": ["tenants.NAME.backend.servers[].url": "http://127.0.0.1:9001"],
        "tenants.NAME.backend.tls.certificate_file": ["tenants.NAME.backend.tls.key_file": "tls/client-key.pem"],
        "tenants.NAME.backend.tls.key_file": ["tenants.NAME.backend.tls.certificate_file": "tls/client.pem"],
        "tenants.NAME.backends.BACKEND.servers[].weight": [
            "tenants.NAME.backends.BACKEND.servers[].url": "http://127.0.0.1:9001"
        ],
        "tenants.NAME.backends.BACKEND.tls.certificate_file": [
            "tenants.NAME.backends.BACKEND.tls.key_file": "tls/client-key.pem"
        ],
        "tenants.NAME.backends.BACKEND.tls.key_file": [
            "tenants.NAME.backends.BACKEND.tls.certificate_file": "tls/client.pem"
        ],
        "tenants.NAME.routes": ["tenants.NAME.backends": others],
        "tenants.NAME.routes[].split": ["tenants.NAME.routes[].backend": nil],
        "tenants.NAME.routes[].sticky": [
            "tenants.NAME.routes[].backend": nil,
            "tenants.NAME.routes[].split": "[{ backend: default, weight: 95 }, { backend: next, weight: 5 }]",
        ],
        "tenants.NAME.routes[].redirect": ["tenants.NAME.routes[].backend": nil],
        "tenants.NAME.routes[].respond": ["tenants.NAME.routes[].backend": nil],
        "tenants.NAME.tests[].expect.backend": [
            "tenants.NAME.backends": others, "tenants.NAME.tests[].expect.status": "200",
        ],
        "tenants.NAME.authenticate.issuers[].issuer": ["tenants.NAME.authenticate.issuers[].domain": nil],
        "tenants.NAME.authenticate.issuers[].secret": ["tenants.NAME.authenticate.issuers[].algorithms": "[HS256]"],
        "tenants.NAME.authenticate.issuers[].secret_file": [
            "tenants.NAME.authenticate.issuers[].algorithms": "[HS256]"
        ],
        "tenants.NAME.authenticate.issuers[].preset": ["tenants.NAME.authenticate.issuers[].realm": "shop"],
        "tenants.NAME.authenticate.issuers[].realm": ["tenants.NAME.authenticate.issuers[].preset": "keycloak"],
        "tenants.NAME.authenticate.issuers[].tenant": [
            "tenants.NAME.authenticate.issuers[].preset": "entra", "tenants.NAME.authenticate.issuers[].domain": nil,
        ],
        "tenants.NAME.authenticate.issuers[].pool": [
            "tenants.NAME.authenticate.issuers[].preset": "cognito", "tenants.NAME.authenticate.issuers[].domain": nil,
        ],
        "tenants.NAME.authenticate.issuers[].project": [
            "tenants.NAME.authenticate.issuers[].preset": "firebase", "tenants.NAME.authenticate.issuers[].domain": nil,
        ],
        "tenants.NAME.authenticate.issuers[].application": [
            "tenants.NAME.authenticate.issuers[].preset": "authentik"
        ],
        "tenants.NAME.signals[].jwks_file": ["tenants.NAME.signals[].jwks_url": nil],
        "tenants.NAME.signals[].discovery": ["tenants.NAME.signals[].jwks_url": nil],
        "tenants.NAME.rate_limits[].ahead": ["tenants.NAME.rate_limits[].shared": "true"],
        "tenants.NAME.accounts.hook": ["tenants.NAME.issuer": issuer],
        "tenants.NAME.sign_in.web": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "tenants.NAME.sign_in.providers": providers,
        ],
        "tenants.NAME.sign_in.web.provider": [
            "tenants.NAME.sign_in.providers": nil, "tenants.NAME.sign_in.web.client_id": "web.apps.example",
        ],
        "tenants.NAME.sign_in.web.client_id": [
            "tenants.NAME.sign_in.providers": nil, "tenants.NAME.sign_in.web.provider": "google",
        ],
        "tenants.NAME.sign_in.web.client_secret": [
            "tenants.NAME.sign_in.providers": nil, "tenants.NAME.sign_in.web.provider": "google",
            "tenants.NAME.sign_in.web.client_id": "web.apps.example",
        ],
        "tenants.NAME.sign_in.providers": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "\(provider).client_id": "gatehouse", "\(provider).issuer": "https://id.example.com",
        ],
        "\(provider).preset": ["\(provider).issuer": nil],
        "\(provider).domain": [
            "\(provider).issuer": nil, "\(provider).preset": "keycloak", "\(provider).realm": "shop",
        ],
        "\(provider).realm": [
            "\(provider).issuer": nil, "\(provider).preset": "keycloak", "\(provider).domain": "id.example.com",
        ],
        "\(provider).tenant": ["\(provider).issuer": nil, "\(provider).preset": "entra"],
        "\(provider).pool": ["\(provider).issuer": nil, "\(provider).preset": "cognito"],
        "\(provider).application": [
            "\(provider).issuer": nil, "\(provider).preset": "authentik", "\(provider).domain": "id.example.com",
        ],
        "\(provider).metadata_url": ["\(provider).jwks_url": "https://id.example.com/certs"],
        "\(provider).oauth2": ["\(provider).issuer": nil],
        "tenants.NAME.sign_in.who.groups": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "tenants.NAME.sign_in.providers": providers,
        ],
        "tenants.NAME.sign_in.unauthenticated": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "tenants.NAME.sign_in.providers": providers,
            "tenants.NAME.sign_in.web":
                "{ login: /login, callback: /callback, after: 'https://shop.example.com/', cookies: { access: a, refresh: r } }",
        ],
        "tenants.NAME.sign_in.endpoints": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
        ],
        "tenants.NAME.sign_in.account_page": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "tenants.NAME.sign_in.web": web,
        ],
        "tenants.NAME.sign_in.passkeys": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
            "tenants.NAME.sign_in.web": web, "tenants.NAME.sign_in.account_page": "/account",
            "tenants.NAME.hosts": "[shop.example.com]",
        ],
        "tenants.NAME.sign_in.delete_account": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": "[{ preset: built-in }]",
        ],
        "tenants.NAME.sign_in.apple.web.private_key": ["tenants.NAME.sign_in.apple.web.private_key_file": nil],
        "tenants.NAME.issuer.clients[].secret": ["tenants.NAME.issuer.clients[].public": nil],
        "tenants.NAME.issuer.clients[].token_endpoint_auth_method": [
            "tenants.NAME.issuer.clients[].public": nil,
            "tenants.NAME.issuer.clients[].jwks_url": "https://partner.example.com/jwks.json",
        ],
        "tenants.NAME.issuer.clients[].jwks_file": ["tenants.NAME.issuer.clients[].public": nil],
        "tenants.NAME.issuer.clients[].jwks_url": ["tenants.NAME.issuer.clients[].public": nil],
        "tenants.NAME.issuer.clients[].dpop_bound": ["tenants.NAME.dpop": "{ need: optional }"],
        "tenants.NAME.issuer.clients[].certificate_bound": [
            "tenants.NAME.tls":
                "{ certificate_file: tls/chain.pem, key_file: tls/key.pem, client_ca_file: tls/clients.pem }",
            "gateway.listen": "[{ address: 127.0.0.1:8443, tls: true }]",
        ],
        "tenants.NAME.issuer.clients[].frontchannel_logout_session_required": [
            "tenants.NAME.issuer.clients[].frontchannel_logout_uri": "https://shop.example.com/signed-out"
        ],
        "tenants.NAME.issuer.clients[].backchannel_logout_session_required": [
            "tenants.NAME.issuer.clients[].backchannel_logout_uri": "https://shop.example.com/backchannel-logout"
        ],
        "tenants.NAME.refresh.from": ["tenants.NAME.refresh.call": refreshTokenCall],
        "tenants.NAME.refresh.adopt": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": formerIssuers,
            "tenants.NAME.refresh.call": "{ send: built_in }",
        ],
        "tenants.NAME.refresh.adopt_clients": [
            "tenants.NAME.issuer": issuer, "tenants.NAME.authenticate.issuers": formerIssuers,
            "tenants.NAME.refresh.call": "{ send: built_in }",
            "tenants.NAME.refresh.adopt": "[https://id.example.com]",
        ],
        "tenants.NAME.refresh.vault": [
            "tenants.NAME.refresh.from": "vault", "tenants.NAME.refresh.call": refreshTokenCall,
        ],
        "tenants.NAME.refresh.call.refresh_token": [
            "tenants.NAME.refresh.from": "cookie:refresh_token", "tenants.NAME.refresh.call": refreshTokenCall,
            "tenants.NAME.refresh.deliver.cookies": "{ refresh_token: /data/refresh_token }",
        ],
        "tenants.NAME.refresh.call.client_id": [
            "tenants.NAME.refresh.from": "cookie:refresh_token", "tenants.NAME.refresh.call.send": "oauth2",
        ],
        "tenants.NAME.refresh.call.client_secret": [
            "tenants.NAME.refresh.from": "cookie:refresh_token", "tenants.NAME.refresh.call.send": "oauth2",
            "tenants.NAME.refresh.call.client_id": "gatehouse",
        ],
    ]

    private static let provider = "tenants.NAME.sign_in.providers.PROVIDER"
    private static let providers = "{ company: { issuer: https://id.example.com, client_id: gatehouse } }"
    private static let others =
        "{ api: { servers: [http://127.0.0.1:9002] }, next: { servers: [http://127.0.0.1:9003] } }"
    private static let formerIssuers =
        "[{ preset: built-in }, { issuer: https://id.example.com, audiences: [a], algorithms: [RS256], discovery: true }]"
    private static let refreshTokenCall = "{ path: /api/auth/refresh, send: refresh_token_json }"
    private static let web =
        "{ login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, "
        + "after: 'https://shop.example.com/', cookies: { access: a, refresh: r } }"
    private static let issuer = "{ url: https://shop.example.com, audience: shop-api, algorithm: ES256 }"
}
