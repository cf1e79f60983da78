/// Reads the `gateway` section.
enum GatewayReader {
    static func read(_ node: DocumentNode?, _ session: inout ReadingSession) -> GatewaySettings {
        let standard = Listener(address: HostPort(host: "127.0.0.1", port: 8080))
        let listeners = node?["listen"].map { readListeners($0, &session) } ?? [standard]
        session.isLoopbackOnly = listeners.allSatisfy(\.address.isLoopback)
        var settings = GatewaySettings(listeners: listeners)
        settings.store = StoreReader.read(node?["store"], &session)
        settings.stateDirectory = StoreReader.readStateDirectory(node?["state_dir"], &session)
        guard let node else { return settings }
        settings.admin = node["admin"].flatMap { readAdmin($0, listeners, &session) }
        settings.threads = node.integer("threads") ?? settings.threads
        settings.trustedProxies = node["trusted_proxies"].map { readProxies($0, &session) } ?? []
        settings.extAuthz = node["ext_authz"]?["address"].flatMap { readAddress($0, &session) }.map {
            ExtAuthzReader.read(node, $0, settings, &session)
        }
        settings.shutdownDelay = node.duration("shutdown_delay") ?? settings.shutdownDelay
        settings.shutdownGrace = node.duration("shutdown_grace") ?? settings.shutdownGrace
        settings.limits = readLimits(node["limits"])
        settings.log = ObservingReader.readLog(node["log"])
        settings.tracing = ObservingReader.readTracing(node["tracing"], &session)
        return settings
    }

    private static func readListeners(_ node: DocumentNode, _ session: inout ReadingSession) -> [Listener] {
        var listeners: [Listener] = []
        var lines: [HostPort: Int] = [:]
        for item in node.items {
            guard let value = item["address"], let address = readAddress(value, &session) else { continue }
            if address.port != 0, let line = lines[address] {
                session.findings.error(
                    value.place,
                    "\(value.shown) is listened on twice, first in line \(line): leave one out"
                )
            }
            lines[address] = lines[address] ?? value.place.line
            listeners.append(Listener(address: address, tls: item.boolean("tls") ?? false))
        }
        return listeners
    }

    private static func readAddress(_ node: DocumentNode, _ session: inout ReadingSession) -> HostPort? {
        guard let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        do throws(ScalarText.Problem) {
            return try NetworkText.hostPort(scalar.text, ports: 0...65_535)
        } catch {
            session.findings.error(
                node.place,
                "\"address\" must be a host and a port, but is \(scalar.shown): \(error.remedy)"
            )
            return nil
        }
    }

    private static func readAdmin(
        _ node: DocumentNode,
        _ listeners: [Listener],
        _ session: inout ReadingSession
    ) -> AdminSettings? {
        let token = node.text("token").map { Secret($0) }
        if let token, let place = node["token"]?.place {
            session.judgeExample(token, name: "\"token\"", place)
        }
        guard let value = node["address"], let address = readAddress(value, &session) else { return nil }
        if address.port != 0, listeners.contains(where: { $0.address == address }) {
            session.findings.error(
                value.place,
                "\(value.shown) already accepts the tenants' requests: give the admin listener another port"
            )
        }
        let tls = node["tls"].flatMap { ServerCertificateReader.read($0, hosts: nil, &session) }
        let isTokenUnresolved = node["token"].map { $0.scalar == nil } ?? false
        let asksForCertificates = node["tls"]?["client_ca_file"] != nil
        if !address.isLoopback, token?.isEmpty ?? true, !isTokenUnresolved, !asksForCertificates {
            session.findings.error(
                value.place,
                "the admin listener can be reached by others and has no token: add \"token\", or listen on 127.0.0.1"
            )
        }
        return AdminSettings(address: address, token: token.flatMap { $0.isEmpty ? nil : $0 }, tls: tls)
    }

    private static func readProxies(_ node: DocumentNode, _ session: inout ReadingSession) -> [AddressRange] {
        node.items.compactMap { item in
            guard let scalar = item.scalar, !scalar.text.isEmpty else { return nil }
            guard let range = AddressRange(cidr: scalar.text) else {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) is no address or block of addresses: write it like 10.1.2.3, 10.0.0.0/8 or "
                        + "fd00::/8, with no bit set after the prefix"
                )
                return nil
            }
            if range.isEverything {
                session.findings.warning(
                    item.place,
                    "every client may now claim any address and host in X-Forwarded-*: "
                        + "name your proxies' addresses only"
                )
            }
            return range
        }
    }

    private static func readLimits(_ node: DocumentNode?) -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.headerBytes = node?.size("header_bytes") ?? limits.headerBytes
        limits.headers = node?.integer("headers") ?? limits.headers
        limits.connections = node?.integer("connections") ?? limits.connections
        limits.idleTimeout = node?.duration("idle_timeout") ?? limits.idleTimeout
        limits.headerTimeout = node?.duration("header_timeout") ?? limits.headerTimeout
        return limits
    }
}
