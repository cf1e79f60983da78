extension Schema {
    static let root = RootKeys()
    static let gateway = GatewayKeys()
    static let metrics = MetricsKeys()
    static let listener = ListenerKeys()
    static let admin = AdminKeys()
    static let adminToken = AdminTokenKeys()
    static let extAuthz = ExtAuthzKeys()
    static let connectionLimits = ConnectionLimitsKeys()

    struct RootKeys: KeyTable {
        let version = Key("version", .integer(1...1), isRequired: true).means("The form of this file. Only 1 is known.")
        let include = Key("include", .list(.text(example: "tenants.d/*.yaml"), minimum: 1))
            .means(
                "Files with more `tenants` and `templates`: paths, or patterns with `*` and `?` in their names. Only "
                    + "tenants.yaml may have it."
            )
        let gateway = Key("gateway", .object(Schema.gateway))
            .means("What belongs to the process and not to one tenant.")
        let templates = Key("templates", .dictionary(key: "NAME", .partial(Schema.tenant)))
            .means(
                "What tenants have in common: each is written like a tenant without `hosts`, and may extend another.",
                example: "{ mobile: { max_staleness: 5m } }"
            )
        let tenants = Key("tenants", .dictionary(key: "NAME", .object(Schema.tenant)))
            .means("The apps behind the gateway. The name is the metric label and the realm in `WWW-Authenticate`.")
    }

    struct GatewayKeys: KeyTable {
        let listen = Key("listen", .list(.object(Schema.listener), minimum: 1), yaml: "[{ address: 127.0.0.1:8080 }]")
            .means("Where requests are accepted: HTTP/1.1 and HTTP/2.", example: "[{ address: 0.0.0.0:8080 }]")
        let admin = Key("admin", .object(Schema.admin)).means("The admin listener. Without it there is none.")
        let tenants = Key("tenants", .list(.choice(TenantPlace.self), minimum: 1), default: [.files])
            .means(
                "Where tenants come from: this file, and with `store` what the admin API has written.",
                example: "[files, store]"
            )
        let extAuthz = Key("ext_authz", .object(Schema.extAuthz))
            .means("The listener of Envoy's gRPC ext_authz. Without it there is none.")
        let store = Key("store", .url(), default: "embedded:gatehouse.db")
            .means(
                "Where state is kept: `embedded:FILE`, `memory:`, `redis://`, `rediss://` or with `+sentinel`.",
                example: "redis://127.0.0.1:6379"
            )
        let stateDir = Key("state_dir", .path(example: "state"))
            .means(
                "Where copies of fetched key sets and of stored tenants are kept, for a start while provider and store are down. "
                    + "Omitted: `$STATE_DIRECTORY` if set, else none."
            )
        let threads = Key("threads", .integer(0...1024), default: 0)
            .means("Event loops; 0 stands for one a core.", example: "4")
        let trustedProxies = Key("trusted_proxies", .list(.text(example: "10.0.0.0/8")), default: [])
            .means(
                "Addresses or CIDR blocks of the proxies whose `X-Forwarded-*`, `Forwarded` and PROXY headers are believed."
            )
        let redirectHTTPS = Key("redirect_https", .boolean, default: false)
            .means(
                "Whether a client that comes over plain http is answered 308 to the same URL over https, on port 443."
            )
        let shutdownDelay = Key("shutdown_delay", .duration(.zero...hour, example: "5s"), default: .zero)
            .means(
                "How long all is served as before after SIGTERM, while `/readyz` answers 503, so that load balancers go elsewhere."
            )
        let shutdownGrace = Key("shutdown_grace", .duration(.zero...hour), default: .seconds(30))
            .means("How long requests under way may take after SIGTERM and `shutdown_delay`.", example: "2m")
        let limits = Key("limits", .object(Schema.connectionLimits)).means("Bounds on connections and request heads.")
        let metrics = Key("metrics", .object(Schema.metrics)).means("The size of `/metrics`.")
        let log = Key("log", .object(Schema.log)).means("What is logged, and how.")
        let tracing = Key("tracing", .object(Schema.tracing)).means("OpenTelemetry traces. Omitted: none.")
        let events = Key("events", .object(Schema.events))
            .means("The webhook that is told of sign-ins, sign-outs and the like. Omitted: none.")
    }

    struct ListenerKeys: KeyTable {
        let address = Key("address", .text(example: "127.0.0.1:8080"), isRequired: true)
            .means("Host and port; an IPv6 address in brackets.")
        let tls = Key("tls", .boolean, default: false).means("TLS with the tenants' certificates; HTTP/2 by ALPN.")
    }

    struct AdminKeys: KeyTable {
        let address = Key("address", .text(example: "127.0.0.1:9901"), isRequired: true)
            .means("Host and port; anything but loopback needs a token or `tls.client_ca_file`.")
        let token = Key("token", .secret)
            .means("The bearer token that the admin API asks for; it may do all. Empty on loopback: none.")
        let tokens = Key("tokens", .list(.object(Schema.adminToken), maximum: 100), default: [])
            .means("Further tokens, each of which may do a part.")
        let tls = Key("tls", .object(Schema.adminTLS)).means("TLS on the admin listener. Omitted: plain text.")
    }

    struct MetricsKeys: KeyTable {
        let tenants = Key("tenants", .integer(1...10_000), default: 200)
            .means(
                "How many tenants have series of their own, the busiest; the others are added up as `_other`.",
                example: "1000"
            )
    }

    struct AdminTokenKeys: KeyTable {
        let name = Key("name", .text(example: "dashboard"), isRequired: true).means("Names the token in the audit.")
        let token = Key("token", .secret, isRequired: true).means("The bearer token.")
        let allow = Key("allow", .list(.text(example: "read"), minimum: 1, maximum: 100), isRequired: true)
            .means(
                "What it may do: `read`, `revoke`, `tenants:PATTERN` with `*` for any part of a name, or `all`.",
                example: "[read, \"tenants:shop-*\"]"
            )
    }

    struct ExtAuthzKeys: KeyTable {
        let address = Key("address", .text(example: "127.0.0.1:9191"), isRequired: true)
            .means("Host and port; only peers in `trusted_proxies` are answered.")
    }

    struct ConnectionLimitsKeys: KeyTable {
        let headerBytes = Key("header_bytes", .size((1 << 10)...(1 << 20)), default: 32 << 10)
            .means("Request line and fields together; 431 above it.", example: "64KiB")
        let headers = Key("headers", .integer(1...1000), default: 100)
            .means("Fields in one head; 431 above it.", example: "200")
        let connections = Key("connections", .integer(1...10_000_000), default: 10_000)
            .means("Client connections open at once; 503 above it.", example: "50000")
        let idleTimeout = Key("idle_timeout", .duration(timeout), default: .seconds(75))
            .means("How long a connection may be silent, between requests or inside a body.", example: "2m")
        let headerTimeout = Key("header_timeout", .duration(timeout), default: .seconds(10))
            .means("How long a client may take to send a whole head.", example: "5s")
    }
}
