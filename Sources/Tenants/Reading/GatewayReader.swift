import ConfigurationText

/// Reads the `gateway` section.
enum GatewayReader {
    static func read(_ node: DocumentNode?, _ session: ReadingSession) -> GatewaySettings {
        let listeners = readListeners(node.read(Schema.gateway.listen) ?? [], session)
        session.isLoopbackOnly = listeners.allSatisfy(\.address.isLoopback)
        var settings = GatewaySettings(listeners: listeners)
        settings.store = StoreReader.read(node, session)
        settings.stateDirectory = StoreReader.readStateDirectory(node, session)
        guard let node else { return settings }
        settings.admin = node[Schema.gateway.admin].flatMap { admin in
            AdminReader.read(
                admin,
                admin[Schema.admin.address].flatMap { readAddress($0, session) },
                listeners,
                session
            )
        }
        settings.tenants = readSources(node, session)
        settings.threads = node.read(Schema.gateway.threads)
        settings.trustedProxies = readProxies(node[Schema.gateway.trustedProxies]?.items ?? [], session)
        settings.redirectsToHTTPS = readRedirect(node, settings, session)
        settings.extAuthz = node[Schema.gateway.extAuthz]?[Schema.extAuthz.address].flatMap {
            readAddress($0, session)
        }.map {
            ExtAuthzReader.read(node, $0, settings, session)
        }
        settings.shutdownDelay = node.read(Schema.gateway.shutdownDelay)
        settings.shutdownGrace = node.read(Schema.gateway.shutdownGrace)
        settings.limits = readLimits(node[Schema.gateway.limits])
        settings.metrics.tenants = node[Schema.gateway.metrics].read(Schema.metrics.tenants)
        settings.log = ObservingReader.readLog(node[Schema.gateway.log])
        settings.events = EventsReader.read(node[Schema.gateway.events], session)
        settings.tracing = ObservingReader.readTracing(node[Schema.gateway.tracing], session)
        return settings
    }

    private static func readSources(_ node: DocumentNode, _ session: ReadingSession) -> [TenantPlace] {
        let sources = node.read(Schema.gateway.tenants)
        if let value = node[Schema.gateway.tenants], !sources.isEmpty, !sources.contains(.files) {
            session.at(value).error("\"tenants\" lacks files: this file is always read; write [files, store]")
        }
        return sources
    }

    private static func readListeners(_ items: [DocumentNode], _ session: ReadingSession) -> [Listener] {
        var listeners: [Listener] = []
        var lines: [HostPort: Int] = [:]
        for item in items {
            guard let value = item[Schema.listener.address], let address = readAddress(value, session) else { continue }
            if address.port != 0, let line = lines[address] {
                session.at(value).error("\(value.shown) is listened on twice, first in line \(line): leave one out")
            }
            lines[address] = lines[address] ?? value.position.line
            listeners.append(Listener(address: address, tls: item.read(Schema.listener.tls)))
        }
        return listeners
    }

    private static func readAddress(_ node: DocumentNode, _ session: ReadingSession) -> HostPort? {
        guard let scalar = node.filled else { return nil }
        let fault = "\"address\" must be a host and a port, but is \(scalar.shown)"
        return session.at(node).value(of: try NetworkText.hostPort(scalar.text, ports: 0...65_535), or: fault)
    }

    private static func readProxies(_ items: [DocumentNode], _ session: ReadingSession) -> [AddressRange] {
        items.compactMap { item in
            guard let scalar = item.filled else { return nil }
            guard let range = AddressRange(cidr: scalar.text) else {
                return session.at(item).refuse(
                    "\(scalar.shown) is no address or block of addresses: write it like 10.1.2.3, 10.0.0.0/8 or "
                        + "fd00::/8, with no bit set after the prefix"
                )
            }
            if range.isEverything {
                session.at(item).warning(
                    "every client may now claim any address and host in X-Forwarded-*: name your proxies' addresses "
                        + "only"
                )
            }
            return range
        }
    }

    private static func readRedirect(_ node: DocumentNode, _ settings: GatewaySettings, _ session: ReadingSession)
        -> Bool
    {
        let redirects = node.read(Schema.gateway.redirectHTTPS)
        guard redirects, let value = node[Schema.gateway.redirectHTTPS], settings.trustedProxies.isEmpty else {
            return redirects
        }
        if !settings.listeners.contains(where: \.tls) {
            session.at(value).error(
                "\"redirect_https\" sends every client to https, which no listener speaks: add a listener with "
                    + "\"tls: true\", or name the proxy that ends TLS in \"trusted_proxies\""
            )
        } else if settings.listeners.allSatisfy(\.tls) {
            session.at(value).warning(
                "\"redirect_https\" has no effect, as all listeners have tls: add one without it, as on port 80"
            )
        }
        return redirects
    }

    private static func readLimits(_ node: DocumentNode?) -> ConnectionLimits {
        ConnectionLimits(
            headerBytes: node.read(Schema.connectionLimits.headerBytes),
            headers: node.read(Schema.connectionLimits.headers),
            connections: node.read(Schema.connectionLimits.connections),
            idleTimeout: node.read(Schema.connectionLimits.idleTimeout),
            headerTimeout: node.read(Schema.connectionLimits.headerTimeout)
        )
    }
}
