/// The providers that `gatehouse init` knows, and what their tokens are verified by.
package enum ProviderKind: String, Sendable, CaseIterable {
    case keycloak, auth0, entra, cognito, okta, firebase, supabase, clerk, zitadel, authentik, google, apple, oidc

    /// What the `iss` of its tokens looks like; nil if it is always the same.
    package var issuerExample: String? {
        switch self {
        case .keycloak: "https://HOST/realms/REALM"
        case .auth0: "https://TENANT.auth0.com/"
        case .entra: "https://login.microsoftonline.com/TENANT-ID/v2.0"
        case .cognito: "https://cognito-idp.REGION.amazonaws.com/POOL-ID"
        case .okta: "https://ORG.okta.com/oauth2/default"
        case .firebase: "https://securetoken.google.com/PROJECT-ID"
        case .supabase: "https://PROJECT.supabase.co/auth/v1"
        case .clerk: "https://INSTANCE.clerk.accounts.dev"
        case .zitadel: "https://INSTANCE.zitadel.cloud"
        case .authentik: "https://HOST/application/o/APP/"
        case .oidc: "https://id.example.com"
        case .google, .apple: nil
        }
    }

    /// What the `aud` of its tokens is.
    package var audienceHint: String {
        switch self {
        case .keycloak: "a client that an audience mapper names; without one Keycloak writes \"account\""
        case .auth0: "the identifier of the API"
        case .entra: "the client ID of the application, or its App ID URI in older tokens"
        case .cognito: "the client ID, in ID tokens; for access tokens write preset: cognito instead"
        case .okta: "that of the authorization server, like api://default"
        case .firebase: "the project ID"
        case .supabase: "\"authenticated\" for whoever is signed in"
        case .clerk: "what a JWT template sets as \"aud\"; for session tokens write preset: clerk instead"
        case .zitadel: "the ID of the project or of the client"
        case .authentik: "the client ID"
        case .google, .apple: "the client IDs of your apps"
        case .oidc: "the app that the tokens are for"
        }
    }

    package var defaultAudience: String? { self == .supabase ? "authenticated" : nil }

    /// What it signs with unless it is set up otherwise.
    package var algorithms: [String] { self == .supabase ? ["ES256"] : ["RS256"] }

    /// The issuer as `authenticate.issuers` has it.
    ///
    /// - Parameters:
    ///   - issuer: The `iss`, to the letter; not used for a provider with a known one.
    ///   - algorithms: Empty for those that the provider signs with.
    package func issuer(_ issuer: String, audiences: [String], algorithms: [String] = []) -> DraftIssuer {
        let texts = audiences.map { DraftText(literal: $0) }
        switch self {
        case .google, .apple: return DraftIssuer(audiences: texts, keys: .preset(rawValue))
        default: break
        }
        var keys = DraftIssuer.Keys.discovery
        if self == .supabase {
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            keys = .setURL(DraftText(literal: "\(base)/.well-known/jwks.json"))
        }
        return DraftIssuer(
            issuer: DraftText(literal: issuer, remark: "the \"iss\" of its tokens, to the letter"),
            audiences: texts,
            algorithms: algorithms.isEmpty ? self.algorithms : algorithms,
            keys: keys,
            comments: ["\(rawValue): the audience is \(audienceHint)."]
        )
    }
}
