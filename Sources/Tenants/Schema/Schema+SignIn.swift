extension Schema {
    static let signIn = SchemaObject([
        SchemaKey("apple", .object(apple), "Sign in with Apple."),
        SchemaKey("google", .object(google), "Sign in with Google."),
        SchemaKey("web", .object(webSignIn), "Sign-in in a browser, with cookies."),
        SchemaKey("endpoints", .object(endpoints), "Session endpoints at the tenant's own paths."),
    ])

    static let exchange = [
        SchemaKey(
            "path",
            .text(example: "/api/auth/apple"),
            isRequired: true,
            "Where the app posts its provider token."
        ),
        SchemaKey(
            "client_ids",
            .list(.text(example: "com.example.app"), minimum: 1),
            isRequired: true,
            "The apps that the token may be for."
        ),
        SchemaKey(
            "then",
            .choice(["forward", "issue"]),
            isRequired: true,
            "`forward` sends the checked request on; `issue` answers with tokens of the built-in issuer."
        ),
    ]

    static let apple = SchemaObject(
        exchange + [
            SchemaKey(
                "nonce",
                .choice(["required", "optional"]),
                standard: "required",
                "Whether the token must be bound to a nonce."
            ),
            SchemaKey(
                "legacy_user_identifier",
                .choice(["deny", "observe", "allow"]),
                standard: "deny",
                "What is done with a body that has only `userIdentifier`, which proves nothing."
            ),
            SchemaKey(
                "notifications",
                .text(example: "/apple/events"),
                "Where Apple posts consent-revoked and account-delete events."
            ),
            SchemaKey("web", .object(appleWeb), "The service for the hosted sign-in page."),
            SchemaKey(
                "issuer",
                .text(example: "https://appleid.apple.com"),
                standard: "https://appleid.apple.com",
                "The `iss` of Apple's tokens."
            ),
            provider("jwks_url", "https://appleid.apple.com/auth/keys", "Apple's keys."),
            provider("authorize_url", "https://appleid.apple.com/auth/authorize", "Where browsers sign in."),
            provider("token_url", "https://appleid.apple.com/auth/token", "Where codes are exchanged."),
        ]
    )

    static let appleWeb = SchemaObject([
        SchemaKey("client_id", .text(example: "com.example.web"), isRequired: true, "The Services ID."),
        SchemaKey("team_id", .text(example: "TEAM123456"), isRequired: true, "The developer team."),
        SchemaKey("key_id", .text(example: "KEY1234567"), isRequired: true, "The key's name at Apple."),
        SchemaKey(
            "private_key_file",
            .path(example: "apple.p8"),
            isRequired: true,
            "The `.p8` key that Apple gave out."
        ),
    ])

    static let google = SchemaObject(
        exchange + [
            SchemaKey("web", .object(googleWeb), "The client for the hosted sign-in page."),
            SchemaKey(
                "issuer",
                .text(example: "https://accounts.google.com"),
                standard: "https://accounts.google.com",
                "The `iss` of Google's tokens."
            ),
            provider("jwks_url", "https://www.googleapis.com/oauth2/v3/certs", "Google's keys."),
            provider("userinfo_url", "https://openidconnect.googleapis.com/v1/userinfo", "Who an access token is for."),
            provider("tokeninfo_url", "https://oauth2.googleapis.com/tokeninfo", "Which app an access token is for."),
            provider("authorize_url", "https://accounts.google.com/o/oauth2/v2/auth", "Where browsers sign in."),
            provider("token_url", "https://oauth2.googleapis.com/token", "Where codes are exchanged."),
        ]
    )

    static let googleWeb = SchemaObject([
        SchemaKey("client_id", .text(example: "web.apps.example"), isRequired: true, "The web client."),
        SchemaKey("client_secret", .secret, isRequired: true, "Its secret."),
    ])

    static let webSignIn = SchemaObject([
        SchemaKey("login", .text(example: "/api/auth/login"), isRequired: true, "Starts a sign-in."),
        SchemaKey("callback", .text(example: "/api/auth/callback"), isRequired: true, "Where the provider returns to."),
        SchemaKey("provider", .choice(["google", "apple"]), isRequired: true, "Who signs in."),
        SchemaKey("client_id", .text(example: "web.apps.example"), isRequired: true, "The client at the provider."),
        SchemaKey("client_secret", .secret, "Its secret at Google; at Apple the key of `apple.web` signs."),
        SchemaKey(
            "after",
            .text(example: "https://app.example.com/"),
            isRequired: true,
            "Where the browser goes then: a whole URL, whose origin is the only one that a sign-in leads to."
        ),
        SchemaKey("cookies", .object(sessionCookies), isRequired: true, "The cookies that are set."),
    ])

    static let sessionCookies = SchemaObject([
        SchemaKey("access", .text(example: "access_token"), isRequired: true, "The access token's cookie."),
        SchemaKey("refresh", .text(example: "refresh_token"), isRequired: true, "The refresh token's cookie."),
    ])

    static let endpoints = SchemaObject([
        SchemaKey("refresh", .text(example: "/api/auth/refresh"), "Answers with a new pair of tokens."),
        SchemaKey("validate", .text(example: "/api/auth/validate"), "Answers with the user."),
        SchemaKey("me", .text(example: "/api/auth/me"), "Answers with the user."),
        SchemaKey("logout", .text(example: "/api/auth/logout"), "Ends this session."),
    ])

    static let accounts = SchemaObject([
        SchemaKey(
            "link_by_email",
            .boolean,
            standard: "false",
            "Whether a verified e-mail joins Apple and Google sign-ins."
        ),
        SchemaKey(
            "hook",
            .url(example: "http://127.0.0.1:9001/accounts"),
            "Lets the backend decide: verified claims in, subject, role and claims out."
        ),
    ])

    private static func provider(_ name: String, _ address: String, _ meaning: String) -> SchemaKey {
        SchemaKey(name, .url(example: address), standard: address, meaning)
    }
}
