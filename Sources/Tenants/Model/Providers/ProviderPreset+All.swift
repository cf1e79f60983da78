/// The identity providers that are known by name. Each has a page in docs/providers, which says where this is from.
extension ProviderPreset {
    package static let all = [keycloak, auth0, entra, cognito, okta, firebase, supabase, clerk, zitadel, authentik]

    private static let keycloak = ProviderPreset(
        name: "keycloak",
        issuers: ["https://{domain}/realms/{realm}"],
        keySet: .belowIssuer("protocol/openid-connect/certs"),
        algorithms: [.rs256],
        audienceHint: "a client that an audience mapper names; without one Keycloak writes \"account\"",
        places: [.roles: ["/realm_access/roles"]],
        // An ID token is of the type `ID`.
        conditions: [Condition(claim: "typ", values: ["Bearer", "DPoP"])]
    )

    private static let auth0 = ProviderPreset(
        name: "auth0",
        issuers: ["https://{domain}/"],
        keySet: .belowIssuer(".well-known/jwks.json"),
        algorithms: [.rs256],
        audienceHint: "the identifier of the API",
        places: [.roles: ["{namespace}/roles", "permissions"], .email: ["{namespace}/email"]]
    )

    private static let entra = ProviderPreset(
        name: "entra",
        issuers: ["https://login.microsoftonline.com/{tenant}/v2.0", "https://sts.windows.net/{tenant}/"],
        keySet: .at("https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys"),
        algorithms: [.rs256],
        audienceHint: "the API's client ID, or its application ID URI in tokens of version 1",
        // `sub` is another one in each app.
        places: [.subject: ["oid"], .roles: ["roles"], .scopes: ["scp"]]
    )

    private static let cognito = ProviderPreset(
        name: "cognito",
        issuers: ["https://cognito-idp.{region}.amazonaws.com/{pool}"],
        keySet: .belowIssuer(".well-known/jwks.json"),
        algorithms: [.rs256],
        audienceHint: "the ID of an app client",
        places: [.roles: ["cognito:groups"], .audience: ["client_id"]],
        conditions: [Condition(claim: "token_use", values: ["access"])]
    )

    private static let okta = ProviderPreset(
        name: "okta",
        issuers: ["https://{domain}/oauth2/default"],
        keySet: .belowIssuer("v1/keys"),
        algorithms: [.rs256],
        audienceHint: "that of the authorization server, like api://default",
        places: [.roles: ["groups"], .scopes: ["scp"]]
    )

    private static let firebase = ProviderPreset(
        name: "firebase",
        issuers: ["https://securetoken.google.com/{project}"],
        keySet: .at("https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"),
        algorithms: [.rs256],
        audienceHint: "the ID of the project",
        audiences: ["{project}"],
        places: [.subject: ["sub"]]
    )

    private static let supabase = ProviderPreset(
        name: "supabase",
        issuers: ["https://{project}.supabase.co/auth/v1"],
        keySet: .belowIssuer(".well-known/jwks.json"),
        algorithms: [.es256, .rs256],
        audienceHint: "\"authenticated\" for whoever is signed in",
        audiences: ["authenticated"],
        // Users cannot change their `app_metadata`, as opposed to `user_metadata`.
        places: [
            .roles: ["role", "user_role", "/app_metadata/role", "/app_metadata/roles"], .session: ["session_id"],
        ]
    )

    private static let clerk = ProviderPreset(
        name: "clerk",
        issuers: ["https://{domain}"],
        keySet: .belowIssuer(".well-known/jwks.json"),
        algorithms: [.rs256],
        audienceHint: "the origin of the app, like https://shop.example.com",
        places: [.roles: ["/o/rol", "org_role"], .audience: ["azp"]],
        // A pending session still has a task to do, like choosing an organization.
        conditions: [Condition(claim: "sts", values: ["active"], allowsMissing: true)]
    )

    private static let zitadel = ProviderPreset(
        name: "zitadel",
        issuers: ["https://{domain}"],
        keySet: .belowIssuer("oauth/v2/keys"),
        algorithms: [.rs256],
        audienceHint: "the ID of the project",
        audiences: ["{project}"],
        places: [.roles: ["urn:zitadel:iam:org:project:roles", "urn:zitadel:iam:org:project:{project}:roles"]]
    )

    private static let authentik = ProviderPreset(
        name: "authentik",
        issuers: ["https://{domain}/application/o/{application}/"],
        keySet: .belowIssuer("jwks/"),
        algorithms: [.rs256],
        audienceHint: "the provider's client ID",
        places: [.roles: ["groups"]]
    )
}
