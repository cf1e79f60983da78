import ConfigurationText

/// Reads `gateway.ext_authz`.
enum ExtAuthzReader {
    /// - Parameters:
    ///   - gateway: The `gateway` section, for the checks that need other keys.
    ///   - address: The value of `address`.
    ///   - settings: Has the other listeners.
    static func read(
        _ gateway: DocumentNode,
        _ address: HostPort,
        _ settings: GatewaySettings,
        _ session: ReadingSession
    ) -> ExtAuthzSettings {
        guard let node = gateway[Schema.gateway.extAuthz]?[Schema.extAuthz.address] else {
            return ExtAuthzSettings(address: address)
        }
        let others = settings.listeners.map(\.address) + [settings.admin?.address].compactMap(\.self)
        if address.port != 0, others.contains(address) {
            session.at(node)
                .error("\"\(address)\" already accepts other requests: give the gRPC listener another port")
        }
        if gateway[Schema.gateway.trustedProxies]?.items.isEmpty ?? true {
            session.at(node).error("every query would be refused: name Envoy's address in \"trusted_proxies\"")
        }
        if !address.isLoopback {
            session.at(node).warning(
                "queries and the identities in their responses cross the network unencrypted: listen on 127.0.0.1, or "
                    + "where only Envoy gets"
            )
        }
        return ExtAuthzSettings(address: address)
    }
}
