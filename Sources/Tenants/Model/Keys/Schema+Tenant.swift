extension Schema {
    static let tenant = TenantKeys()
    static let identity = IdentityKeys()
    static let accessRule = AccessRuleKeys()
    static let allow = AllowKeys()
    static let requestLimits = RequestLimitsKeys()
    static let introspection = IntrospectionKeys()
    static let cors = CorsKeys()
    static let csrf = CsrfKeys()
    static let webSocket = WebSocketKeys()
    static let headers = HeadersKeys()
    static let headerChanges = HeaderChangesKeys()
    static let assertion = AssertionKeys()
    static let expectation = ExpectationKeys()

    struct TenantKeys: KeyTable {
        let extends = Key("extends", .text(example: "mobile"))
            .means(
                "The template whose keys are this one's too. Maps are merged key by key, lists and single values are "
                    + "replaced, and null leaves out what the template has."
            )
        let hosts = Key("hosts", .list(.text(example: "api.example.com"), minimum: 1), isRequired: true)
            .means("Host names that the tenant answers for: exact, or `*.` in the place of one label.")
        let pathPrefix = Key("path_prefix", .text(example: "/shop"))
            .means(
                "Only paths at and below it are the tenant's; the longest prefix wins. Matches at a segment boundary."
            )
        let stripPrefix = Key("strip_prefix", .boolean, default: false)
            .means(
                "Whether `path_prefix` is taken off what the backend sees. All else, rules too, sees the whole path."
            )
        let backend = Key("backend", .object(Schema.backend), isRequired: true).unless("backends", "routes")
            .means("The service behind the tenant: short for `backends: { default: … }`.")
        let backends = Key("backends", .dictionary(key: "BACKEND", .object(Schema.backend), minimum: 1))
            .means(
                "The services behind the tenant, by name. `default` takes what no route is for; without it that is 404 "
                    + "`no_route`."
            )
        let routes = Key("routes", .list(.object(Schema.route)), default: [])
            .means(
                "Which backend a request goes to, by path. The first route that matches decides.",
                example: "[{ path: /api/**, backend: default }]"
            )
        let tls = Key("tls", .object(Schema.serverCertificate))
            .means("The certificate for the tenant's hosts. Omitted: that of the first tenant that has one.")
        let authenticate = Key("authenticate", .object(Schema.authenticate), isRequired: true)
            .means(
                "Where tokens are found, and who may have signed them.",
                example: "{ issuers: \(Schema.authenticate.issuers.schema.example) }"
            )
        let access = Key("access", .list(.object(Schema.accessRule)), default: [])
            .means("Who may do what. The first rule that matches decides; without one a signed-in caller is needed.")
        let identity = Key("identity", .object(Schema.identity))
            .means("Which headers tell the backend who the caller is.")
        let mode = Key("mode", .choice(Tenant.Mode.self), default: .enforce)
            .means("`observe` decides, logs and counts, but lets everything through: for migrations.")
        let limits = Key("limits", .object(Schema.requestLimits)).means("Bounds on one request.")
        let introspection = Key("introspection", .object(Schema.introspection))
            .means("Asks a server about opaque tokens (RFC 7662). Omitted: they are refused.")
        let dpop = Key("dpop", .object(Schema.dpop))
            .means(
                "What callers prove besides having a token: that they hold its key (RFC 9449). Omitted: tokens that are "
                    + "bound to a key are refused."
            )
        let rateLimits = Key("rate_limits", .list(.object(Schema.rateLimit)), default: [])
            .means("How many requests an address, a caller or all together may make.")
        let realm = Key("realm", .text(example: "shop")).means("Tenants of one realm share accounts.")
        let role = Key("role", .text(example: "customer"))
            .means("The role that an account gets when it signs in here first.")
        let accounts = Key("accounts", .object(Schema.accounts)).means("How accounts are found and linked.")
        let signIn = Key("sign_in", .object(Schema.signIn))
            .means("Sign-in with Apple and Google, and the endpoints around it.")
        let issuer = Key("issuer", .object(Schema.issuer))
            .means("The built-in issuer, which `preset: built-in` trusts.")
        let refresh = Key("refresh", .object(Schema.refresh))
            .means("How a session is renewed without the client noticing.")
        let signals = Key("signals", .list(.object(Schema.signal), maximum: 64), default: [])
            .means(
                "Who may tell of ended sessions and lost accounts, besides the issuers of `authenticate` and the providers "
                    + "of `sign_in`.",
                example:
                    "[{ issuer: \"https://signals.example.com\", audience: shop, jwks_url: \"https://signals.example.com/jwks.json\" }]"
            )
        let revokeOn = Key("revoke_on", .list(.text(example: "POST /logout")))
            .means("Requests whose 2xx from the backend revokes the presented token.")
        let onStoreFailure = Key("on_store_failure", .choice(StoreFailurePolicy.self), default: .deny)
            .means(
                "What a revocation check does once the local copy is older than `max_staleness`, and what the check whether a "
                    + "proof was used before does while the store is away."
            )
        let maxStaleness = Key("max_staleness", .duration(.seconds(1)...day), default: .seconds(30))
            .means("How old the local copy of revocations may be.", example: "5m")
        let cors = Key("cors", .object(Schema.cors))
            .means("Which origins' scripts may call (CORS). Omitted: that is the backend's business.")
        let csrf = Key("csrf", .object(Schema.csrf))
            .means("Which origins may send unsafe requests with cookies, and open WebSockets.")
        let websocket = Key("websocket", .object(Schema.webSocket)).means("WebSocket connections.")
        let headers = Key("headers", .object(Schema.headers)).means("Fields that are set or removed on the way.")
        let refusals = Key("refusals", .object(Schema.refusals))
            .means(
                "The form and the texts of what the gateway refuses. Omitted: problem documents (RFC 9457).",
                example: "{ texts: { missing_token: { title: Please sign in } } }"
            )
        let appVersion = Key("app_version", .object(Schema.appVersion)).onlyIfGiven()
            .means(
                "Which versions of the app are still served, and which hear of a newer one.",
                example: "{ minimum: 5.2.0, store: { ios: \"https://apps.apple.com/app/id1\" } }"
            )
        let tests = Key("tests", .list(.object(Schema.assertion)))
            .means("Assertions that `gatehouse check` runs offline.")
    }

    struct IdentityKeys: KeyTable {
        let headers = Key(
            "headers",
            .dictionary(key: "HEADER", .text(example: "sub")),
            yaml: "{ X-User-Id: sub, X-User-Email: email, X-User-Role: role }"
        )
        .means(
            "Request fields and the claims that fill them. Copies that a client sends are removed.",
            example: "{ X-User-Id: sub, X-User-Roles: roles }"
        )
        let token = Key("token", .choice(Identity.TokenForwarding.self), default: .keep)
            .means("Whether the backend still sees the token.")
    }

    struct AccessRuleKeys: KeyTable {
        let path = Key("path", .text(example: "/api/**"), isRequired: true)
            .means(
                "The path as clients send it, `path_prefix` included. `*` stands for one segment, `/**` at the end for the "
                    + "path itself and all below it."
            )
        let methods = Key("methods", .list(.text(example: "GET"), minimum: 1))
            .means("The methods that the rule is for. Omitted: every method.")
        let allow = Key("allow", .either(.object(Schema.allow), .oneOf(["anyone"])), isRequired: true)
            .means("The roles and scopes that a signed-in caller needs, or `anyone`: no token is needed.")
        let mode = Key("mode", .choice(Tenant.Mode.self), default: .enforce)
            .means("`observe` decides, logs and counts, but lets through what the rule refuses: for migrations.")
    }

    struct AllowKeys: KeyTable {
        let roles = Key("roles", .list(.text(example: "admin")), default: []).means("Any of these; empty: any caller.")
        let scopes = Key("scopes", .list(.text(example: "orders:read")), default: []).means("All of these.")
    }

    struct RequestLimitsKeys: KeyTable {
        let bodyBytes = Key("body_bytes", .size(0...(1 << 50), example: "10MiB"))
            .means("Longest request body; 413 above it. Omitted: no bound.")
        let bodyRate = Key("body_rate", .rate(1...(1 << 30)), default: 1 << 10)
            .means(
                "Least average rate of a body after its first 10 s, in both directions; 408 or a reset below it. `0`: none.",
                example: "4KiB/s"
            )
        let replayBytes = Key("replay_bytes", .size(0...(16 << 20)), default: 64 << 10)
            .means("Longest body that is kept for a replay after a refresh.", example: "256KiB")
    }

    struct IntrospectionKeys: KeyTable {
        let url = Key("url", .url(example: "https://id.example.com/introspect"), isRequired: true)
            .means("The endpoint: https, or http on loopback.")
        let clientID = Key("client_id", .text(example: "gatehouse"), isRequired: true)
            .means("The gateway's client there.")
        let clientSecret = Key("client_secret", .secret, isRequired: true).means("Its secret.")
        let cache = Key("cache", .duration(.zero...hour), default: .seconds(30))
            .means("How long an answer is believed; with `0s` each request asks.", example: "5m")
        let issuer = Key("issuer", .text(example: "https://id.example.com"))
            .means("The `iss` that answers must have, to the letter. Omitted: it is not checked.")
        let audiences = Key("audiences", .list(.text(example: "my-app"), minimum: 1))
            .means("The `aud` that an answer must name one of. Omitted: `aud` is not checked, with a warning.")
    }

    struct CorsKeys: KeyTable {
        let origins = Key("origins", .list(.text(example: "https://app.example.com"), minimum: 1), isRequired: true)
            .means("Allowed origins; `\"*\"` alone, without `credentials`, stands for every one.")
        let credentials = Key("credentials", .boolean, default: false)
            .means("Whether cookies may be sent along. The origins are trusted as those of `csrf` are then.")
        let maxAge = Key("max_age", .duration(.zero...day), default: .seconds(600))
            .means("How long a browser may keep the answer to a preflight.", example: "1h")
        let expose = Key("expose", .list(.text(example: "X-Total-Count")), default: [])
            .means("Fields of answers that scripts may read, besides those that the gateway adds.")
    }

    struct CsrfKeys: KeyTable {
        let trustedOrigins = Key("trusted_origins", .list(.text(example: "https://app.example.com")), default: [])
            .means("Other origins that may send unsafe requests with cookies.")
        let mode = Key("mode", .choice(Tenant.Mode.self), default: .enforce)
            .means("`observe` counts and logs cross-site requests, but lets them through: for migrations.")
    }

    struct WebSocketKeys: KeyTable {
        let onExpiry = Key("on_expiry", .choice(WebSocketRules.OnExpiry.self), default: .close)
            .means("What happens when the token expires.")
    }

    struct HeadersKeys: KeyTable {
        let request = Key("request", .object(Schema.headerChanges)).means("What the backend sees.")
        let response = Key("response", .object(Schema.headerChanges))
            .means("What the client sees, of the gateway's own answers too.")
        let security = Key("security", .choice(HeaderRules.Security.self), default: .off)
            .means(
                "`standard` adds security headers that the backend does not set itself."
            )
    }

    struct HeaderChangesKeys: KeyTable {
        let set = Key("set", .dictionary(key: "HEADER", .secret), yaml: "{}")
            .means("Fields and their new values.", example: "{ X-Region: eu-1 }")
        let remove = Key("remove", .list(.text(example: "Server")), default: []).means("Fields that are taken out.")
    }

    struct AssertionKeys: KeyTable {
        let request = Key("request", .text(example: "GET /api/admin"), isRequired: true).means("Method and path.")
        let claims = Key("claims", .dictionary(key: "CLAIM", .anything))
            .means(
                "The caller's claims; `iss`, `aud`, `sub`, `iat` and `exp` are filled in. Omitted: nobody signed in.",
                example: "{ sub: alice, role: admin }"
            )
        let headers = Key("headers", .dictionary(key: "HEADER", .text(example: "value")))
            .means("Further fields of the request.", example: "{ Origin: \"https://app.example.com\" }")
        let expect = Key("expect", .object(Schema.expectation), isRequired: true).means("What must come of it.")
    }

    struct ExpectationKeys: KeyTable {
        let status = Key("status", .integer(100...599), isRequired: true)
            .means(
                "The status; 200 where the request would go on, 302 or 303 where a browser is led to sign in.",
                example: "401"
            )
        let backend = Key("backend", .text(example: "api"))
            .means("The backend that the request would go to. Omitted: any.")
        let code = Key("code", .oneOf(TenantTest.codes)).means("The refusal's `code`. Omitted: any.")
    }
}
