import Localization
import Tenants
import Verification

/// An issuer's metadata for clients (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
struct DiscoveryDocument {
    let issuer: BuiltInIssuer
    /// Of the tenant's host, as the client sent it.
    let origin: String
    /// Nil if the tenant does not use DPoP; then the document omits it.
    let proof: ProofRules?
    /// Whether people may sign in with passkeys.
    var hasPasskeys = false

    var object: JSONObject {
        var object = basis
        if let proof {
            // RFC 9449 section 5.1.
            let algorithms = proof.algorithms.map { JSONValue.string($0.rawValue) }
            object["dpop_signing_alg_values_supported"] = .array(algorithms)
        }
        // OpenID Connect Core section 3.1.2.1: what a provider asked for is not known, so that its sign-ins have none.
        if hasPasskeys { object["acr_values_supported"] = [.string(AuthenticationContext.phishingResistant)] }
        if authenticationMethods.contains(IssuerClient.AuthMethod.privateKey) {
            let algorithms = IssuerClient.assertionAlgorithms.map { JSONValue.string($0.rawValue) }
            for endpoint in ["token", "revocation", "introspection"] {
                object["\(endpoint)_endpoint_auth_signing_alg_values_supported"] = .array(algorithms)
            }
        }
        if issuer.clients.contains(where: \.bindsToCertificate) {
            // RFC 8705 section 3.3.
            object["tls_client_certificate_bound_access_tokens"] = true
        }
        return object
    }

    private var basis: JSONObject {
        [
            "issuer": .string(issuer.url),
            "authorization_endpoint": url("/oauth2/authorize"),
            "token_endpoint": url("/oauth2/token"),
            "userinfo_endpoint": url("/userinfo"),
            "jwks_uri": url("/oauth2/jwks.json"),
            "revocation_endpoint": url("/oauth2/revoke"),
            "introspection_endpoint": url("/oauth2/introspect"),
            "end_session_endpoint": url("/oauth2/logout"),
            "scopes_supported": .array(scopes.map(JSONValue.string)),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [.string(issuer.algorithm.rawValue)],
            "token_endpoint_auth_methods_supported": .array(Self.names(authenticationMethods)),
            "revocation_endpoint_auth_methods_supported": .array(Self.names(authenticationMethods)),
            "introspection_endpoint_auth_methods_supported": .array(Self.names(introspectionMethods)),
            "claim_types_supported": ["normal"],
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "at_hash", "sid", "email",
                "email_verified", "is_private_email", "name", "role",
            ],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "ui_locales_supported": .array(locales.map(JSONValue.string)),
            "frontchannel_logout_supported": true,
            "frontchannel_logout_session_supported": true,
            "authorization_response_iss_parameter_supported": true,
            // OpenID Connect Back-Channel Logout 1.0 section 2.1.
            "backchannel_logout_supported": true,
            "backchannel_logout_session_supported": true,
            "claims_parameter_supported": false,
            "request_parameter_supported": false,
            // True by default (OpenID Connect Discovery section 3).
            "request_uri_parameter_supported": false,
        ]
    }

    private static let secretMethods: [IssuerClient.AuthMethod] = [.basic, .post]

    private static func names(_ methods: [IssuerClient.AuthMethod]) -> [JSONValue] {
        methods.map { .string($0.rawValue) }
    }

    /// The methods of the configured clients; without clients those that need no keys.
    private var authenticationMethods: [IssuerClient.AuthMethod] {
        let own = Set(issuer.clients.flatMap(\.authMethods))
        return ([.none] + Self.secretMethods + [.privateKey]).filter { method in
            own.isEmpty ? method != .privateKey : own.contains(method)
        }
    }

    /// Only clients that can authenticate introspect.
    private var introspectionMethods: [IssuerClient.AuthMethod] {
        let methods = authenticationMethods.filter { $0 != .none }
        return methods.isEmpty ? Self.secretMethods : methods
    }

    /// Every scope that some client may request, `openid` first.
    private var scopes: [String] {
        issuer.clients.flatMap(\.scopes).reduce(into: ["openid"]) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The languages of the pages.
    private var locales: [String] {
        let builtIn = PageLanguage.BuiltIn.allCases.map(\.rawValue)
        let own = issuer.page.texts?.languages ?? []
        return builtIn + own.map(\.tag).filter { !builtIn.contains($0.lowercased()) }
    }

    private func url(_ path: String) -> JSONValue { .string(origin + issuer.basePath + path) }
}
