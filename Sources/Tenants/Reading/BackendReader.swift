import ConfigurationText

/// Reads `backend`.
enum BackendReader {
    static func read(_ node: DocumentNode, _ session: ReadingSession) -> Backend {
        let servers = readServers(node[Schema.backend.servers], session)
        return Backend(
            servers: servers,
            timeouts: readTimeouts(node[Schema.backend.timeouts]),
            limits: readLimits(node[Schema.backend.limits]),
            balance: readBalance(node, session),
            health: node[Schema.backend.health].flatMap { readHealth($0, session) },
            retries: RetriesReader.read(node[Schema.backend.retries] ?? .absent, session),
            tls: node.entry(Schema.backend.tls).map {
                BackendTLSReader.read($0, servers: node[Schema.backend.servers], session)
            } ?? BackendTLS()
        )
    }

    private static func readServers(_ node: DocumentNode?, _ session: ReadingSession) -> [BackendServer] {
        var places: [HostPort: Position] = [:]
        var servers: [BackendServer] = []
        for item in node?.items ?? [] {
            let url = item[Schema.server.url] ?? item
            guard let scalar = url.filled else { continue }
            let fault = "a server must be like http://127.0.0.1:9001, but is \(scalar.shown)"
            let server = session.at(url).value(of: try NetworkText.server(scalar.text), or: fault)
            guard let (scheme, address) = server else { continue }
            if let first = places[address] {
                session.at(url).error(
                    "\(scalar.shown) is a server of this backend already (\(session.place(of: first, from: url.position))): "
                        + "leave one out, or give it a \"weight\""
                )
            }
            places[address] = places[address] ?? url.position
            servers.append(BackendServer(scheme: scheme, address: address, weight: item.read(Schema.server.weight)))
        }
        return servers
    }

    private static func readBalance(_ node: DocumentNode, _ session: ReadingSession) -> Balance {
        if let balance = Balance(rawValue: node.read(Schema.backend.balance)) { return balance }
        if let value = node[Schema.backend.balance], let scalar = value.filled {
            session.at(value).error(
                "\"balance\" must be round_robin, least_requests or hash:subject, but is \(scalar.shown): choose one"
            )
        }
        return .roundRobin
    }

    private static func readHealth(_ node: DocumentNode, _ session: ReadingSession) -> HealthCheck? {
        guard let value = node[Schema.health.path], let scalar = value.filled else { return nil }
        // Written into the request line as it is.
        guard scalar.text.hasPrefix("/"), !scalar.text.contains("#"),
            scalar.text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            return session.at(value).refuse(
                "\"path\" must be like /health, but is \(scalar.shown): begin it with \"/\", and percent-encode spaces "
                    + "and what is not ASCII"
            )
        }
        return HealthCheck(
            path: scalar.text,
            every: node.read(Schema.health.every),
            healthyAfter: node.read(Schema.health.healthyAfter),
            unhealthyAfter: node.read(Schema.health.unhealthyAfter)
        )
    }

    private static func readTimeouts(_ node: DocumentNode?) -> BackendTimeouts {
        BackendTimeouts(
            connect: node.read(Schema.backendTimeouts.connect),
            response: node.read(Schema.backendTimeouts.response),
            idle: node.read(Schema.backendTimeouts.idle)
        )
    }

    private static func readLimits(_ node: DocumentNode?) -> BackendLimits {
        BackendLimits(
            connections: node.read(Schema.backendLimits.connections),
            pending: node.read(Schema.backendLimits.pending)
        )
    }
}
