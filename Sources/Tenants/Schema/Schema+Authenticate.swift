import Verification

extension Schema {
    static let authenticate = SchemaObject([
        SchemaKey(
            "from",
            .list(.text(example: "bearer"), minimum: 1, maximum: 16),
            standard: "[bearer]",
            "Where a token is looked for, in order: `bearer`, `cookie:NAME`, `query:NAME`, `header:NAME`."
        ),
        SchemaKey(
            "issuers",
            .list(.object(trustedIssuer), minimum: 1),
            "Who may have signed a token. Needed unless there is `introspection`."
        ),
        SchemaKey(
            "leeway",
            .duration(.zero...hours, example: "60s"),
            standard: "60s",
            "How far the clocks of issuer and gateway may be apart."
        ),
        SchemaKey(
            "require",
            .list(.text(example: "sub")),
            standard: "[exp]",
            "Claims that a token must have."
        ),
    ])

    static let trustedIssuer = SchemaObject([
        SchemaKey(
            "issuer",
            .text(example: "https://id.example.com"),
            "The `iss` of its tokens, to the letter. Needed unless a preset names it."
        ),
        SchemaKey(
            "audiences",
            .list(.text(example: "my-app"), minimum: 1),
            "The `aud` that a token must name one of. Omitted: `aud` is not checked, with a warning."
        ),
        SchemaKey(
            "algorithms",
            .list(.choice(SignatureAlgorithm.allCases.map(\.rawValue)), minimum: 1),
            "What its tokens may be signed with. Needed unless a preset names it."
        ),
        SchemaKey("secret", .secret, "The shared secret of HS256, HS384 or HS512, as text."),
        SchemaKey(
            "secret_file",
            .path(example: "jwt.secret"),
            "A file that holds the secret; one newline at its end is dropped."
        ),
        SchemaKey("public_key_file", .path(example: "issuer.pem"), "A file with public keys in PEM."),
        SchemaKey("jwks_file", .path(example: "jwks.json"), "A file with a JWK Set; it may hold symmetric keys."),
        SchemaKey(
            "jwks_url",
            .url(example: "https://id.example.com/jwks.json"),
            "The address of a JWK Set: https, or http on loopback."
        ),
        SchemaKey(
            "discovery",
            .boolean,
            "Whether the JWK Set is found by the issuer's OpenID configuration."
        ),
        SchemaKey(
            "preset",
            .choice(["apple", "google", "built-in"]),
            "A known issuer: `built-in` is the tenant's own, from its `issuer` section."
        ),
    ])

    static let issuer = SchemaObject([
        SchemaKey("url", .url(example: "https://shop.example.com"), isRequired: true, "The `iss` of its tokens."),
        SchemaKey("audience", .text(example: "shop-api"), isRequired: true, "The `aud` of its tokens."),
        SchemaKey("algorithm", .choice(["RS256", "ES256"]), isRequired: true, "What they are signed with."),
        SchemaKey(
            "keys_dir",
            .path(example: "keys/shop"),
            "Its keys: every `*.pem`, `*.jwk` and `*.jwks` of a directory; only a `*.pem` signs, and its `kid` is the "
                + "file's name. Omitted: the gateway makes them, and keeps them in the store."
        ),
        SchemaKey(
            "base_path",
            .text(example: "/api/v1/users"),
            standard: "/",
            "Where its endpoints are mounted on the tenant's host."
        ),
        SchemaKey(
            "access",
            .duration(.seconds(1)...(hours * 24), example: "30m"),
            standard: "1h",
            "How long an access token lives."
        ),
        SchemaKey(
            "id",
            .duration(.seconds(1)...(hours * 24), example: "1h"),
            standard: "1h",
            "How long an ID token lives."
        ),
        SchemaKey(
            "refresh",
            .duration(.seconds(1)...year, example: "30d"),
            standard: "30d",
            "How long a refresh token lives."
        ),
        SchemaKey(
            "rotate_every",
            .duration(hours...year, example: "90d"),
            standard: "90d",
            "How long a key that the gateway made signs; longer than a token lives."
        ),
        SchemaKey(
            "clients",
            .list(.object(client)),
            standard: "[]",
            "Its OpenID clients."
        ),
        SchemaKey("page", .object(page), "How its sign-in page looks."),
    ])

    static let page = SchemaObject([
        SchemaKey("name", .text(example: "Shop"), "The app's name for people. Omitted: the tenant's."),
        SchemaKey("color", .text(example: "\"#0a7cff\""), "The app's colour, `#rrggbb`. Omitted: Gatehouse's."),
    ])

    static let client = SchemaObject([
        SchemaKey("id", .text(example: "shop-mobile"), isRequired: true, "`client_id`."),
        SchemaKey(
            "secret",
            .secret,
            "`client_secret` of a client that can keep one, of 16 bytes or more. Either this or `public: true`."
        ),
        SchemaKey("public", .boolean, standard: "false", "Whether it has no secret (an app, a page)."),
        SchemaKey(
            "redirect_uris",
            .list(.text(example: "https://shop.example.com/callback")),
            isRequired: true,
            "Where codes may be sent, to the letter."
        ),
        SchemaKey(
            "post_logout_redirect_uris",
            .list(.text(example: "https://shop.example.com/")),
            standard: "[]",
            "Where a logout may lead, to the letter."
        ),
        SchemaKey("scopes", .list(.text(example: "openid")), standard: "[openid]", "What it may ask for."),
        SchemaKey(
            "dpop_bound",
            .boolean,
            standard: "false",
            "Whether it gets tokens only with a DPoP proof, bound to its key. Needs the tenant's `dpop`."
        ),
        SchemaKey(
            "certificate_bound",
            .boolean,
            standard: "false",
            "Whether its tokens are bound to the TLS certificate that it comes with. Needs `tls.client_ca_file`."
        ),
    ])
}
