extension Schema {
    static let backend = BackendKeys()
    static let server = ServerKeys()
    static let health = HealthKeys()
    static let backendTimeouts = BackendTimeoutsKeys()
    static let retries = RetriesKeys()
    static let backendLimits = BackendLimitsKeys()
    static let backendTLS = BackendTLSKeys()

    struct BackendKeys: KeyTable {
        let servers = Key(
            "servers",
            .list(.either(.url(example: "http://127.0.0.1:9001"), .object(Schema.server)), minimum: 1),
            isRequired: true
        )
        .means("Its addresses.")
        let balance = Key("balance", .text(example: "least_requests"), default: "round_robin")
            .means("How requests are shared out: `round_robin`, `least_requests` or `hash:subject`.")
        let health = Key("health", .object(Schema.health))
            .means("Probes that take a server out and back in. Omitted: none are sent.")
        let timeouts = Key("timeouts", .object(Schema.backendTimeouts)).means("How long the backend may take.")
        let retries = Key("retries", .object(Schema.retries)).means("When a request is sent again.")
        let limits = Key("limits", .object(Schema.backendLimits)).means("Bounds on connections to one server.")
        let tls = Key("tls", .object(Schema.backendTLS)).means("TLS towards the `https` servers.")
    }

    struct ServerKeys: KeyTable {
        let url = Key("url", .url(example: "http://127.0.0.1:9001"), isRequired: true)
            .means("Scheme (`http`, `https`, `h2c`), host and port, without a path.")
        let weight = Key("weight", .integer(1...1000), default: 1)
            .means("Its share of the requests, beside the others'.", example: "3")
    }

    struct HealthKeys: KeyTable {
        let path = Key("path", .text(example: "/health"), isRequired: true)
            .means("What is asked for by GET; 2xx is healthy.")
        let every = Key("every", .duration(.milliseconds(100)...hour), default: .seconds(5))
            .means("Between two probes.", example: "10s")
        let healthyAfter = Key("healthy_after", .integer(1...100), default: 2)
            .means("Good answers in a row.", example: "1")
        let unhealthyAfter = Key("unhealthy_after", .integer(1...100), default: 3)
            .means("Bad answers in a row.", example: "5")
    }

    struct BackendTimeoutsKeys: KeyTable {
        let connect = Key("connect", .duration(timeout), default: .seconds(2))
            .means("Until the connection stands, its TLS handshake included.", example: "500ms")
        let response = Key("response", .duration(timeout), default: .seconds(30))
            .means("From the end of the request to the first byte of the answer.", example: "10s")
        let idle = Key("idle", .duration(timeout), default: .seconds(60))
            .means("Between two reads of an answer, and how long an unused connection is kept.", example: "5m")
    }

    struct RetriesKeys: KeyTable {
        let attempts = Key("attempts", .integer(1...10), default: 2).means("Tries altogether.", example: "3")
        let on = Key("on", .list(.choice(RetryRules.Failure.self)), default: [.connectFailure, .resetBeforeResponse])
            .means("After which failures.")
        let methods = Key("methods", .list(.text(example: "GET")), default: ["GET", "HEAD", "OPTIONS"])
            .means("Which idempotent methods are repeated after a reset.")
    }

    struct BackendLimitsKeys: KeyTable {
        let connections = Key("connections", .integer(1...1_000_000), default: 512)
            .means("Connections to one server.", example: "64")
        let pending = Key("pending", .integer(0...1_000_000), default: 1024)
            .means("Requests that may wait for a connection to one server; 503 above it.", example: "256")
    }

    struct BackendTLSKeys: KeyTable {
        let caFile = Key("ca_file", .path(example: "tls/ca.pem"))
            .means("Who signs the servers' certificates. Omitted: the system's list.")
        let certificateFile = Key("certificate_file", .path(example: "tls/client.pem"))
            .means("The gateway's own certificate (mTLS). Goes with `key_file`.")
        let keyFile = Key("key_file", .path(example: "tls/client-key.pem")).means("Its private key.")
        let serverName = Key("server_name", .text(example: "backend.internal"))
            .means("The name for SNI that the certificate must have. Omitted: the URL's host.")
    }
}
