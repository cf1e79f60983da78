extension Schema {
    static let hours = Duration.seconds(3600)
    static let year = Duration.seconds(365 * 86_400)
    /// Timeouts that must be something and cannot be forever.
    static let timeout = Duration.milliseconds(1)...(hours * 24)

    public static let root = SchemaObject([
        SchemaKey(
            "version",
            .integer(1...1),
            isRequired: true,
            "The form of this file. Only 1 is known."
        ),
        SchemaKey("gateway", .object(gateway), "What belongs to the process and not to one tenant."),
        SchemaKey(
            "tenants",
            .dictionary(key: "NAME", .object(tenant), minimum: 1),
            isRequired: true,
            "The apps behind the gateway. The name is the metric label and the realm in `WWW-Authenticate`."
        ),
    ])

    static let gateway = SchemaObject([
        SchemaKey(
            "listen",
            .list(.object(listener), minimum: 1),
            standard: "[{ address: 127.0.0.1:8080 }]",
            "Where requests are accepted: HTTP/1.1 and HTTP/2."
        ),
        SchemaKey("admin", .object(admin), "The admin listener. Without it there is none."),
        SchemaKey("ext_authz", .object(extAuthz), "The listener of Envoy's gRPC ext_authz. Without it there is none."),
        SchemaKey(
            "store",
            .url(example: "\"\(StoreReader.standard)\""),
            standard: "\"\(StoreReader.standard)\"",
            "Where state is kept: `embedded:FILE`, `memory:`, `redis://`, `rediss://` or with `+sentinel`."
        ),
        SchemaKey(
            "state_dir",
            .path(example: "state"),
            "Where copies of fetched key sets are kept, for a start while provider and store are down. "
                + "Omitted: `$STATE_DIRECTORY` if set, else none."
        ),
        SchemaKey("threads", .integer(0...1024), standard: "0", "Event loops; 0 stands for one a core."),
        SchemaKey(
            "trusted_proxies",
            .list(.text(example: "10.0.0.0/8")),
            standard: "[]",
            "Addresses or CIDR blocks of the proxies whose `X-Forwarded-*`, `Forwarded` and PROXY headers are believed."
        ),
        SchemaKey(
            "shutdown_delay",
            .duration(.zero...hours, example: "5s"),
            standard: "0s",
            "How long all is served as before after SIGTERM, while `/readyz` answers 503, so that load balancers go elsewhere."
        ),
        SchemaKey(
            "shutdown_grace",
            .duration(.zero...hours, example: "30s"),
            standard: "30s",
            "How long requests under way may take after SIGTERM and `shutdown_delay`."
        ),
        SchemaKey("limits", .object(connectionLimits), "Bounds on connections and request heads."),
        SchemaKey("log", .object(log), "What is logged, and how."),
        SchemaKey(
            "tracing",
            .object(tracing),
            "OpenTelemetry traces. Omitted: none."
        ),
    ])

    static let listener = SchemaObject([
        SchemaKey(
            "address",
            .text(example: "127.0.0.1:8080"),
            isRequired: true,
            "Host and port; an IPv6 address in brackets."
        ),
        SchemaKey(
            "tls",
            .boolean,
            standard: "false",
            "TLS with the tenants' certificates; HTTP/2 by ALPN."
        ),
    ])

    static let admin = SchemaObject([
        SchemaKey(
            "address",
            .text(example: "127.0.0.1:9901"),
            isRequired: true,
            "Host and port; anything but loopback needs a token or `tls.client_ca_file`."
        ),
        SchemaKey("token", .secret, "The bearer token that the admin API asks for. Empty on loopback: none."),
        SchemaKey("tls", .object(adminTLS), "TLS on the admin listener. Omitted: plain text."),
    ])

    static let adminTLS = SchemaObject([
        SchemaKey(
            "certificate_file",
            .path(example: "tls/admin.pem"),
            isRequired: true,
            "The chain in PEM, leaf first."
        ),
        SchemaKey("key_file", .path(example: "tls/admin-key.pem"), isRequired: true, "Its private key in PEM."),
        SchemaKey(
            "client_ca_file",
            .path(example: "tls/operators.pem"),
            "Who signs the operators' certificates (mTLS). One of them stands for the token."
        ),
    ])

    static let extAuthz = SchemaObject([
        SchemaKey(
            "address",
            .text(example: "127.0.0.1:9191"),
            isRequired: true,
            "Host and port; only peers in `trusted_proxies` are answered."
        )
    ])

    static let connectionLimits = SchemaObject([
        SchemaKey(
            "header_bytes",
            .size((1 << 10)...(1 << 20), example: "32KiB"),
            standard: "32KiB",
            "Request line and fields together; 431 above it."
        ),
        SchemaKey("headers", .integer(1...1000), standard: "100", "Fields in one head; 431 above it."),
        SchemaKey(
            "connections",
            .integer(1...10_000_000),
            standard: "10000",
            "Client connections open at once; 503 above it."
        ),
        SchemaKey(
            "idle_timeout",
            .duration(timeout, example: "75s"),
            standard: "75s",
            "How long a connection may be silent, between requests or inside a body."
        ),
        SchemaKey(
            "header_timeout",
            .duration(timeout, example: "10s"),
            standard: "10s",
            "How long a client may take to send a whole head."
        ),
    ])
}
