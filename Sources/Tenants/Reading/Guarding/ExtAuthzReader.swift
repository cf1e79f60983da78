/// Reads `gateway.ext_authz`.
enum ExtAuthzReader {
    /// - Parameters:
    ///   - gateway: The whole section, for what else it needs.
    ///   - address: As read from the key.
    ///   - settings: With the other listeners.
    static func read(
        _ gateway: DocumentNode,
        _ address: HostPort,
        _ settings: GatewaySettings,
        _ session: inout ReadingSession
    ) -> ExtAuthzSettings {
        guard let place = gateway[Schema.gateway.extAuthz]?[Schema.extAuthz.address]?.place else {
            return ExtAuthzSettings(address: address)
        }
        let others = settings.listeners.map(\.address) + [settings.admin?.address].compactMap(\.self)
        if address.port != 0, others.contains(address) {
            session.findings.error(
                place,
                "\"\(address)\" already accepts other requests: give the gRPC listener another port"
            )
        }
        if gateway[Schema.gateway.trustedProxies]?.items.isEmpty ?? true {
            session.findings.error(
                place,
                "nobody would be answered: name Envoy's address in \"trusted_proxies\""
            )
        }
        if !address.isLoopback {
            session.findings.warning(
                place,
                "what is asked here and told of callers crosses the network in clear: listen on 127.0.0.1, or where only "
                    + "Envoy gets"
            )
        }
        return ExtAuthzSettings(address: address)
    }
}
