extension Schema {
    static let refresh = RefreshKeys()
    static let refreshCall = RefreshCallKeys()
    static let delivery = DeliveryKeys()
    static let vault = VaultKeys()
    static let capture = CaptureKeys()

    struct RefreshKeys: KeyTable {
        let on401 = Key("on_401", .boolean, default: true)
            .means("Whether a 401 of the backend causes a refresh if the session is valid.")
        let within = Key("within", .duration(.zero...year, example: "24h"), default: .zero)
            .means("Also refresh ahead when the token expires within this; 0s: never ahead.")
        let grace = Key("grace", .duration(.zero...year, example: "7d"), default: .zero)
            .means("How long an expired but otherwise good token may still be refreshed; 0s: it is refused.")
        let from = Key("from", .text(example: "cookie:refresh_token"))
            .means("Where the refresh token comes from: `cookie:NAME` or `vault`.")
        let call = Key("call", .object(Schema.refreshCall), isRequired: true)
            .means("How new tokens are got.", example: "{ path: /api/auth/refresh, send: bearer }")
        let withoutStore = Key("without_store", .choice(RefreshWithoutStore.self))
            .means(
                "While the store cannot be reached: `refuse` presents nothing, `alone` refreshes once an instance. Omitted: "
                    + "`alone` for `bearer`, else `refuse`. Not for `built_in`."
            )
        let deliver = Key("deliver", .object(Schema.delivery), isRequired: true).means("How the client gets them.")
        let vault = Key("vault", .object(Schema.vault))
            .means("Keeps refresh tokens for clients that never send theirs.")
        let adopt = Key(
            "adopt",
            .list(.text(example: "https://id.example.com"), maximum: AdoptedTokens.mostIssuers),
            default: []
        )
        .means(
            "Former issuers, which the tenant still trusts: a request with a good token of one gets, once, a session "
                + "of the tenant's own issuer, delivered like a refresh. For `built_in` only."
        )
        let adoptClients = Key(
            "adopt_clients",
            .list(.text(example: "shop-ios"), maximum: AdoptedTokens.mostClients),
            default: []
        )
        .means(
            "The tenant's own apps, as the former issuers call them: a token that names another client (`client_id`, "
                + "`azp`) brings no session."
        )
    }

    struct RefreshCallKeys: KeyTable {
        let method = Key("method", .text(), default: "POST").means("The request's method.", example: "PUT")
        let path = Key("path", .url(example: "/api/auth/refresh"))
            .means("A path on the backend, or a full URL. Needed unless `send` is `built_in`.")
        let send = Key("send", .choice(RefreshCall.Send.self), isRequired: true)
            .means(
                "What is sent: the access token, the refresh token in JSON or an OAuth form, or nothing (own issuer)."
            )
        let accessToken = Key("access_token", .text(), default: "/access_token")
            .means("The new access token in the answer. A JSON pointer.", example: "/data/access_token")
        let refreshToken = Key("refresh_token", .text(example: "/refresh_token"))
            .means(
                "The new refresh token in the answer, at `/refresh_token` if omitted; without one there the old one stays "
                    + "good. A JSON pointer.",
                example: "/data/refresh_token"
            )
        let clientID = Key("client_id", .text(example: "gatehouse")).means("For `oauth2`, which needs it.")
        let clientSecret = Key("client_secret", .secret).means("For `oauth2`, if the client has one.")
    }

    struct DeliveryKeys: KeyTable {
        let header = Key("header", .text(example: "X-Refreshed-Token")).means("The response field for bearer clients.")
        let cookies = Key("cookies", .dictionary(key: "COOKIE", .text(example: "/access_token")))
            .means(
                "The cookies to set, and JSON pointers to their values in the answer.",
                example: "{ access_token: /access_token }"
            )
    }

    struct VaultKeys: KeyTable {
        let capture = Key("capture", .list(.object(Schema.capture), minimum: 1), isRequired: true)
            .means("The backend's answers that hold refresh tokens.")
    }

    struct CaptureKeys: KeyTable {
        let path = Key("path", .text(example: "/api/auth/login"), isRequired: true).means("The request's path.")
        let accessToken = Key("access_token", .text(), default: "/access_token")
            .means("The access token in the answer. A JSON pointer.", example: "/data/access_token")
        let refreshToken = Key("refresh_token", .text(), default: "/refresh_token")
            .means("The refresh token in the answer. A JSON pointer.", example: "/data/refresh_token")
    }
}
