/// Reads `backend`.
enum BackendReader {
    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Backend {
        let servers = readServers(node["servers"], &session)
        return Backend(
            servers: servers,
            timeouts: readTimeouts(node["timeouts"]),
            limits: readLimits(node["limits"]),
            balance: node["balance"].flatMap { readBalance($0, &session) } ?? .roundRobin,
            health: node["health"].flatMap { readHealth($0, &session) },
            retries: node["retries"].map { RetriesReader.read($0, &session) } ?? RetryRules(),
            tls: node.entry("tls").map { BackendTLSReader.read($0, servers: node["servers"], &session) } ?? BackendTLS()
        )
    }

    private static func readServers(_ node: DocumentNode?, _ session: inout ReadingSession) -> [BackendServer] {
        var lines: [HostPort: Int] = [:]
        var servers: [BackendServer] = []
        for item in node?.items ?? [] {
            let url = item["url"] ?? item
            guard let scalar = url.scalar, !scalar.text.isEmpty else { continue }
            do throws(ScalarText.Problem) {
                let (scheme, address) = try NetworkText.server(scalar.text)
                if let line = lines[address] {
                    session.findings.error(
                        url.place,
                        "\(scalar.shown) is a server of this backend already (line \(line)): leave one out, or give it "
                            + "a \"weight\""
                    )
                }
                lines[address] = lines[address] ?? url.place.line
                servers.append(BackendServer(scheme: scheme, address: address, weight: item.integer("weight") ?? 1))
            } catch {
                session.findings.error(
                    url.place,
                    "a server must be like http://127.0.0.1:9001, but is \(scalar.shown): \(error.remedy)"
                )
            }
        }
        return servers
    }

    private static func readBalance(_ node: DocumentNode, _ session: inout ReadingSession) -> Balance? {
        guard let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        switch scalar.text {
        case "round_robin": return .roundRobin
        case "least_requests": return .leastRequests
        case "hash:subject": return .hashSubject
        default:
            session.findings.error(
                node.place,
                "\"balance\" must be round_robin, least_requests or hash:subject, but is \(scalar.shown): choose one"
            )
            return nil
        }
    }

    private static func readHealth(_ node: DocumentNode, _ session: inout ReadingSession) -> HealthCheck? {
        guard let value = node["path"], let scalar = value.scalar, !scalar.text.isEmpty else { return nil }
        // It goes into a request line as it is.
        guard scalar.text.hasPrefix("/"), !scalar.text.contains("#"),
            scalar.text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            session.findings.error(
                value.place,
                "\"path\" must be like /health, but is \(scalar.shown): begin it with \"/\", and percent-encode spaces "
                    + "and what is not ASCII"
            )
            return nil
        }
        var health = HealthCheck(path: scalar.text)
        health.every = node.duration("every") ?? health.every
        health.healthyAfter = node.integer("healthy_after") ?? health.healthyAfter
        health.unhealthyAfter = node.integer("unhealthy_after") ?? health.unhealthyAfter
        return health
    }

    private static func readTimeouts(_ node: DocumentNode?) -> BackendTimeouts {
        var timeouts = BackendTimeouts()
        timeouts.connect = node?.duration("connect") ?? timeouts.connect
        timeouts.response = node?.duration("response") ?? timeouts.response
        timeouts.idle = node?.duration("idle") ?? timeouts.idle
        return timeouts
    }

    private static func readLimits(_ node: DocumentNode?) -> BackendLimits {
        var limits = BackendLimits()
        limits.connections = node?.integer("connections") ?? limits.connections
        limits.pending = node?.integer("pending") ?? limits.pending
        return limits
    }
}
