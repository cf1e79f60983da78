extension Schema {
    static let refresh = SchemaObject([
        SchemaKey(
            "on_401",
            .boolean,
            standard: "true",
            "Whether the backend's 401 to a good session leads to a refresh."
        ),
        SchemaKey(
            "within",
            .duration(.zero...year, example: "24h"),
            standard: "0s",
            "Also refresh ahead when the token expires within this; 0s: never ahead."
        ),
        SchemaKey(
            "grace",
            .duration(.zero...year, example: "7d"),
            standard: "0s",
            "How long an expired but otherwise good token may still be refreshed; 0s: it is refused."
        ),
        SchemaKey(
            "from",
            .text(example: "cookie:refresh_token"),
            "Where the refresh token comes from: `cookie:NAME` or `vault`."
        ),
        SchemaKey("call", .object(refreshCall), isRequired: true, "How new tokens are got."),
        SchemaKey(
            "without_store",
            .choice(RefreshWithoutStore.allCases.map(\.rawValue)),
            "While the store cannot be reached: `refuse` presents nothing, `alone` refreshes once an instance. Omitted: "
                + "`alone` for `bearer`, else `refuse`. Not for `built_in`."
        ),
        SchemaKey("deliver", .object(delivery), isRequired: true, "How the client gets them."),
        SchemaKey("vault", .object(vault), "Keeps refresh tokens for clients that never send theirs."),
    ])

    static let refreshCall = SchemaObject([
        SchemaKey("method", .text(example: "POST"), standard: "POST", "The request's method."),
        SchemaKey(
            "path",
            .url(example: "/api/auth/refresh"),
            "A path on the backend, or a full URL. Needed unless `send` is `built_in`."
        ),
        SchemaKey(
            "send",
            .choice(["bearer", "refresh_token_json", "oauth2", "built_in"]),
            isRequired: true,
            "What is sent: the access token, the refresh token in JSON or an OAuth form, or nothing (own issuer)."
        ),
        pointer("access_token", standard: "/access_token", "The new access token in the answer."),
        pointer(
            "refresh_token",
            "The new refresh token in the answer, at `/refresh_token` if omitted; without one there the old one stays "
                + "good."
        ),
        SchemaKey("client_id", .text(example: "gatehouse"), "For `oauth2`, which needs it."),
        SchemaKey("client_secret", .secret, "For `oauth2`, if the client has one."),
    ])

    static let delivery = SchemaObject([
        SchemaKey("header", .text(example: "X-Refreshed-Token"), "The response field for bearer clients."),
        SchemaKey(
            "cookies",
            .dictionary(key: "COOKIE", .text(example: "/access_token")),
            "The cookies to set, and JSON pointers to their values in the answer."
        ),
    ])

    static let vault = SchemaObject([
        SchemaKey(
            "capture",
            .list(.object(capture), minimum: 1),
            isRequired: true,
            "The backend's answers that hold refresh tokens."
        )
    ])

    static let capture = SchemaObject([
        SchemaKey("path", .text(example: "/api/auth/login"), isRequired: true, "The request's path."),
        pointer("access_token", standard: "/access_token", "The access token in the answer."),
        pointer("refresh_token", standard: "/refresh_token", "The refresh token in the answer."),
    ])

    private static func pointer(_ name: String, standard: String? = nil, _ meaning: String) -> SchemaKey {
        SchemaKey(name, .text(example: "/\(name)"), standard: standard, "\(meaning) A JSON pointer.")
    }
}
