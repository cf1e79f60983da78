import Verification

/// An identity provider that `sign_in.providers` knows by name: its addresses, and what is peculiar to it.
struct SignInPreset: Sendable {
    enum Service: Sendable {
        /// With the issuer of the ``ProviderPreset`` of this name, or with another.
        case openID(issuer: String)
        case oauth2(OAuth2Service)
    }

    /// As tenants.yaml has it.
    var name: String
    /// For people.
    var label: String
    var service: Service
    var scopes = ["openid", "email", "profile"]
    var subject = "sub"
    /// As `email_verified` in tenants.yaml.
    var emailVerified = "email_verified"

    static func named(_ name: String) -> SignInPreset? { all.first { $0.name == name } }

    /// What an entry tells it.
    var arguments: [PresetArgument] {
        guard case .openID(let issuer) = service else { return [] }
        return PresetArgument.allCases.filter { $0.isIn(issuer) }
    }

    /// Those that some preset asks for, in the order of the table.
    static let askedArguments = PresetArgument.allCases.filter { argument in
        all.contains { $0.arguments.contains(argument) }
    }
}

extension SignInPreset: RawRepresentable, CaseIterable {
    static let allCases = all

    init?(rawValue: String) {
        guard let preset = Self.named(rawValue) else { return nil }
        self = preset
    }

    var rawValue: String { name }
}

extension SignInPreset {
    static let all: [SignInPreset] = [
        issuerPreset("keycloak", "Keycloak"), issuerPreset("auth0", "Auth0"), entra,
        issuerPreset("cognito", "Amazon Cognito"), issuerPreset("okta", "Okta"), issuerPreset("zitadel", "Zitadel"),
        issuerPreset("authentik", "authentik"), github, gitlab,
    ].compactMap(\.self)

    /// An e-mail there is what an administrator of any directory wrote; only `xms_edov` says that its domain is theirs.
    private static let entra = issuerPreset("entra", "Microsoft").map { preset in
        var preset = preset
        preset.emailVerified = "xms_edov"
        return preset
    }

    /// GitHub has no OpenID metadata and signs no ID tokens for people.
    private static let github = SignInPreset(
        name: "github",
        label: "GitHub",
        service: .oauth2(
            OAuth2Service(
                authorizeURL: "https://github.com/login/oauth/authorize",
                tokenURL: "https://github.com/login/oauth/access_token",
                userInfoURL: "https://api.github.com/user",
                emailsURL: "https://api.github.com/user/emails"
            )
        ),
        scopes: ["read:user", "user:email"],
        subject: "id",
        emailVerified: "never"
    )

    private static let gitlab = SignInPreset(
        name: "gitlab",
        label: "GitLab",
        service: .openID(issuer: "https://{domain}")
    )

    /// A provider that `authenticate` knows too: its first `iss` is that of its ID tokens.
    private static func issuerPreset(_ name: String, _ label: String) -> SignInPreset? {
        ProviderPreset.named(name)?.issuers.first.map {
            SignInPreset(name: name, label: label, service: .openID(issuer: $0))
        }
    }
}
