extension Schema {
    static let backend = SchemaObject([
        SchemaKey(
            "servers",
            .list(.either([.url(example: "http://127.0.0.1:9001"), .object(server)]), minimum: 1),
            isRequired: true,
            "Its addresses."
        ),
        SchemaKey(
            "balance",
            .text(example: "least_requests"),
            standard: "round_robin",
            "How requests are shared out: `round_robin`, `least_requests` or `hash:subject`."
        ),
        SchemaKey("health", .object(health), "Probes that take a server out and back in. Omitted: none are sent."),
        SchemaKey("timeouts", .object(backendTimeouts), "How long the backend may take."),
        SchemaKey("retries", .object(retries), "When a request is sent again."),
        SchemaKey("limits", .object(backendLimits), "Bounds on connections to one server."),
        SchemaKey("tls", .object(backendTLS), "TLS towards the `https` servers."),
    ])

    static let server = SchemaObject([
        SchemaKey(
            "url",
            .url(example: "http://127.0.0.1:9001"),
            isRequired: true,
            "Scheme (`http`, `https`, `h2c`), host and port, without a path."
        ),
        SchemaKey(
            "weight",
            .integer(1...1000),
            standard: "1",
            "Its share of the requests, beside the others'."
        ),
    ])

    static let health = SchemaObject([
        SchemaKey("path", .text(example: "/health"), isRequired: true, "What is asked for by GET; 2xx is healthy."),
        SchemaKey("every", .duration(.milliseconds(100)...hours, example: "5s"), standard: "5s", "Between two probes."),
        SchemaKey("healthy_after", .integer(1...100), standard: "2", "Good answers in a row."),
        SchemaKey("unhealthy_after", .integer(1...100), standard: "3", "Bad answers in a row."),
    ])

    static let backendTimeouts = SchemaObject([
        SchemaKey(
            "connect",
            .duration(timeout, example: "2s"),
            standard: "2s",
            "Until the connection stands, its TLS handshake included."
        ),
        SchemaKey(
            "response",
            .duration(timeout, example: "30s"),
            standard: "30s",
            "From the end of the request to the first byte of the answer."
        ),
        SchemaKey(
            "idle",
            .duration(timeout, example: "60s"),
            standard: "60s",
            "Between two reads of an answer, and how long an unused connection is kept."
        ),
    ])

    static let retries = SchemaObject([
        SchemaKey("attempts", .integer(1...10), standard: "2", "Tries altogether."),
        SchemaKey(
            "on",
            .list(.choice(["connect_failure", "reset_before_response"])),
            standard: "[connect_failure, reset_before_response]",
            "After which failures."
        ),
        SchemaKey(
            "methods",
            .list(.text(example: "GET")),
            standard: "[GET, HEAD, OPTIONS]",
            "Which idempotent methods are repeated after a reset."
        ),
    ])

    static let backendLimits = SchemaObject([
        SchemaKey("connections", .integer(1...1_000_000), standard: "512", "Connections to one server."),
        SchemaKey(
            "pending",
            .integer(0...1_000_000),
            standard: "1024",
            "Requests that may wait for a connection to one server; 503 above it."
        ),
    ])

    static let backendTLS = SchemaObject([
        SchemaKey(
            "ca_file",
            .path(example: "tls/ca.pem"),
            "Who signs the servers' certificates. Omitted: the system's list."
        ),
        SchemaKey(
            "certificate_file",
            .path(example: "tls/client.pem"),
            "The gateway's own certificate (mTLS). Goes with `key_file`."
        ),
        SchemaKey("key_file", .path(example: "tls/client-key.pem"), "Its private key."),
        SchemaKey(
            "server_name",
            .text(example: "backend.internal"),
            "The name for SNI that the certificate must have. Omitted: the URL's host."
        ),
    ])
}
