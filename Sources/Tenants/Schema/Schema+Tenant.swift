extension Schema {
    static let tenant = SchemaObject(routing + policy + accountsAndSessions + browsers + operation)

    private static let routing = [
        SchemaKey(
            "hosts",
            .list(.text(example: "api.example.com"), minimum: 1),
            isRequired: true,
            "Host names that the tenant answers for: exact, or `*.` in the place of one label."
        ),
        SchemaKey(
            "path_prefix",
            .text(example: "/shop"),
            "Only paths at and below it are the tenant's; the longest prefix wins. Matches at a segment boundary."
        ),
        SchemaKey(
            "strip_prefix",
            .boolean,
            standard: "false",
            "Whether `path_prefix` is taken off what the backend sees."
        ),
        SchemaKey("backend", .object(backend), isRequired: true, "The service behind the tenant."),
        SchemaKey(
            "tls",
            .object(serverCertificate),
            "The certificate for the tenant's hosts. Omitted: that of the first tenant that has one."
        ),
    ]

    private static let policy = [
        SchemaKey(
            "authenticate",
            .object(authenticate),
            isRequired: true,
            "Where tokens are found, and who may have signed them."
        ),
        SchemaKey(
            "access",
            .list(.object(accessRule)),
            standard: "[]",
            "Who may do what. The first rule that matches decides; without one a signed-in caller is needed."
        ),
        SchemaKey("identity", .object(identity), "What the backend is told of the caller."),
        SchemaKey(
            "mode",
            .choice(Tenant.Mode.allCases.map(\.rawValue)),
            standard: "enforce",
            "`observe` decides, logs and counts, but lets everything through: for migrations."
        ),
        SchemaKey("limits", .object(requestLimits), "Bounds on one request."),
        SchemaKey(
            "introspection",
            .object(introspection),
            "Asks a server about opaque tokens (RFC 7662). Omitted: they are refused."
        ),
        SchemaKey(
            "dpop",
            .object(dpop),
            "What callers prove besides having a token: that they hold its key (RFC 9449). Omitted: tokens that are "
                + "bound to a key are refused."
        ),
        SchemaKey(
            "rate_limits",
            .list(.object(rateLimit)),
            standard: "[]",
            "How many requests an address, a caller or all together may make."
        ),
    ]

    private static let accountsAndSessions = [
        SchemaKey(
            "realm",
            .text(example: "shop"),
            "Tenants of one realm share accounts."
        ),
        SchemaKey(
            "role",
            .text(example: "customer"),
            "The role that an account gets when it signs in here first."
        ),
        SchemaKey(
            "accounts",
            .object(accounts),
            "How accounts are found and linked."
        ),
        SchemaKey(
            "sign_in",
            .object(signIn),
            "Sign-in with Apple and Google, and the endpoints around it."
        ),
        SchemaKey(
            "issuer",
            .object(issuer),
            "The built-in issuer, which `preset: built-in` trusts."
        ),
        SchemaKey(
            "refresh",
            .object(refresh),
            "How a session is renewed without the client noticing."
        ),
        SchemaKey(
            "revoke_on",
            .list(.text(example: "POST /logout")),
            "Requests whose 2xx from the backend revokes the presented token."
        ),
        SchemaKey(
            "on_store_failure",
            .choice(StoreFailurePolicy.allCases.map(\.rawValue)),
            standard: "deny",
            "What a revocation check does once the local copy is older than `max_staleness`, and what the check whether a "
                + "proof was used before does while the store is away."
        ),
        SchemaKey(
            "max_staleness",
            .duration(.seconds(1)...(hours * 24), example: "30s"),
            standard: "30s",
            "How old the local copy of revocations may be."
        ),
    ]

    private static let browsers = [
        SchemaKey(
            "cors",
            .object(cors),
            "Which origins' scripts may call (CORS). Omitted: that is the backend's business."
        ),
        SchemaKey(
            "csrf",
            .object(csrf),
            "Which origins may send unsafe requests with cookies, and open WebSockets."
        ),
        SchemaKey("websocket", .object(webSocket), "WebSocket connections."),
        SchemaKey(
            "headers",
            .object(headers),
            "Fields that are set or removed on the way."
        ),
    ]

    private static let operation = [
        SchemaKey(
            "tests",
            .list(.object(assertion)),
            "Assertions that `gatehouse check` runs offline."
        )
    ]

    static let identity = SchemaObject([
        SchemaKey(
            "headers",
            .dictionary(key: "HEADER", .text(example: "sub")),
            standard: "{ X-User-Id: sub, X-User-Email: email, X-User-Role: role }",
            "Request fields and the claims that fill them. Copies that a client sends are removed."
        ),
        SchemaKey(
            "token",
            .choice(Identity.TokenForwarding.allCases.map(\.rawValue)),
            standard: "keep",
            "Whether the backend still sees the token."
        ),
    ])

    static let accessRule = SchemaObject([
        SchemaKey(
            "path",
            .text(example: "/api/**"),
            isRequired: true,
            "`*` stands for one segment, `/**` at the end for the path itself and all below it."
        ),
        SchemaKey(
            "methods",
            .list(.text(example: "GET"), minimum: 1),
            "The methods that the rule is for. Omitted: every method."
        ),
        SchemaKey(
            "allow",
            .either([.choice(["anyone"]), .object(allow)]),
            isRequired: true,
            "`anyone`, or the roles and scopes that a signed-in caller needs."
        ),
        SchemaKey(
            "mode",
            .choice(Tenant.Mode.allCases.map(\.rawValue)),
            standard: "enforce",
            "`observe` decides, logs and counts, but lets through what the rule refuses: for migrations."
        ),
    ])

    static let allow = SchemaObject([
        SchemaKey("roles", .list(.text(example: "admin")), standard: "[]", "Any of these; empty: any caller."),
        SchemaKey("scopes", .list(.text(example: "orders:read")), standard: "[]", "All of these."),
    ])

    static let requestLimits = SchemaObject([
        SchemaKey(
            "body_bytes",
            .size(0...(1 << 50), example: "10MiB"),
            "Longest request body; 413 above it. Omitted: no bound."
        ),
        SchemaKey(
            "body_rate",
            .rate(1...(1 << 30), example: "1KiB/s"),
            standard: "1KiB/s",
            "Least average rate of a body after its first 10 s, in both directions; 408 or a reset below it. `0`: none."
        ),
        SchemaKey(
            "replay_bytes",
            .size(0...(16 << 20), example: "64KiB"),
            standard: "64KiB",
            "Longest body that is kept for a replay after a refresh."
        ),
    ])

    static let serverCertificate = SchemaObject([
        SchemaKey(
            "certificate_file",
            .path(example: "tls/chain.pem"),
            isRequired: true,
            "The chain in PEM, leaf first."
        ),
        SchemaKey("key_file", .path(example: "tls/key.pem"), isRequired: true, "Its private key in PEM."),
        SchemaKey(
            "client_ca_file",
            .path(example: "tls/clients.pem"),
            "Who signs the clients' certificates (mTLS). With it a client must have one."
        ),
    ])

    static let introspection = SchemaObject([
        SchemaKey(
            "url",
            .url(example: "https://id.example.com/introspect"),
            isRequired: true,
            "The endpoint: https, or http on loopback."
        ),
        SchemaKey("client_id", .text(example: "gatehouse"), isRequired: true, "The gateway's client there."),
        SchemaKey("client_secret", .secret, isRequired: true, "Its secret."),
        SchemaKey(
            "cache",
            .duration(.zero...hours, example: "30s"),
            standard: "30s",
            "How long an answer is believed; with `0s` each request asks."
        ),
        SchemaKey(
            "issuer",
            .text(example: "https://id.example.com"),
            "The `iss` that answers must have, to the letter. Omitted: it is not checked."
        ),
        SchemaKey(
            "audiences",
            .list(.text(example: "my-app"), minimum: 1),
            "The `aud` that an answer must name one of. Omitted: `aud` is not checked, with a warning."
        ),
    ])

    static let cors = SchemaObject([
        SchemaKey(
            "origins",
            .list(.text(example: "https://app.example.com"), minimum: 1),
            isRequired: true,
            "Allowed origins; `\"*\"` alone, without `credentials`, stands for every one."
        ),
        SchemaKey(
            "credentials",
            .boolean,
            standard: "false",
            "Whether cookies may be sent along. The origins are trusted as those of `csrf` are then."
        ),
        SchemaKey(
            "max_age",
            .duration(.zero...(hours * 24), example: "10m"),
            standard: "10m",
            "How long a browser may keep the answer to a preflight."
        ),
        SchemaKey(
            "expose",
            .list(.text(example: "X-Total-Count")),
            standard: "[]",
            "Fields of answers that scripts may read, besides those that the gateway adds."
        ),
    ])

    static let csrf = SchemaObject([
        SchemaKey(
            "trusted_origins",
            .list(.text(example: "https://app.example.com")),
            standard: "[]",
            "Other origins that may send unsafe requests with cookies."
        ),
        SchemaKey(
            "mode",
            .choice(Tenant.Mode.allCases.map(\.rawValue)),
            standard: "enforce",
            "`observe` counts and logs cross-site requests, but lets them through: for migrations."
        ),
    ])

    static let webSocket = SchemaObject([
        SchemaKey(
            "on_expiry",
            .choice(WebSocketRules.OnExpiry.allCases.map(\.rawValue)),
            standard: "close",
            "What happens when the token expires."
        )
    ])

    static let headers = SchemaObject([
        SchemaKey("request", .object(headerChanges), "What the backend sees."),
        SchemaKey("response", .object(headerChanges), "What the client sees, of the gateway's own answers too."),
        SchemaKey(
            "security",
            .choice(HeaderRules.Security.allCases.map(\.rawValue)),
            standard: "off",
            "`standard` adds fields that tell browsers to be careful, where the backend does not say them itself."
        ),
    ])

    static let headerChanges = SchemaObject([
        SchemaKey("set", .dictionary(key: "HEADER", .secret), standard: "{}", "Fields and their new values."),
        SchemaKey("remove", .list(.text(example: "Server")), standard: "[]", "Fields that are taken out."),
    ])

    static let assertion = SchemaObject([
        SchemaKey("request", .text(example: "GET /api/admin"), isRequired: true, "Method and path."),
        SchemaKey(
            "claims",
            .dictionary(key: "CLAIM", .anything),
            "The caller's claims; `iss`, `aud`, `sub`, `iat` and `exp` are filled in. Omitted: nobody signed in."
        ),
        SchemaKey("headers", .dictionary(key: "HEADER", .text(example: "value")), "Further fields of the request."),
        SchemaKey("expect", .object(expectation), isRequired: true, "What must come of it."),
    ])

    static let expectation = SchemaObject([
        SchemaKey("status", .integer(100...599), isRequired: true, "The status; 200 where the request would go on."),
        SchemaKey("code", .choice(TenantTest.codes), "The refusal's `code`. Omitted: any."),
    ])
}
