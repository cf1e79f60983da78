import ConfigurationText

/// Checks that there are tenants with a certificate if listeners have TLS, and the reverse.
enum ListenerTLSCheck {
    /// - Parameters:
    ///   - gateway: Its section.
    ///   - certificates: The tenants' keys `tls`.
    static func check(_ gateway: DocumentNode?, certificates: [Position], _ session: ReadingSession) {
        let switches = (gateway?[Schema.gateway.listen]?.items ?? []).compactMap {
            $0.entry(Schema.listener.tls)
        }
        let secured = switches.filter { $0.value.scalar.flatMap { try? ScalarText.boolean($0) } == true }
        if certificates.isEmpty {
            for listener in secured {
                session.at(listener)
                    .error("a listener with tls, and no tenant has a certificate: add \"tls\" to a tenant")
            }
        }
        // A switch that cannot be read was reported, and may have been meant as true.
        let isUnclear = switches.contains { $0.value.scalar.flatMap { try? ScalarText.boolean($0) } == nil }
        guard secured.isEmpty, !isUnclear else { return }
        for certificate in certificates {
            session.at(certificate)
                .warning("no listener shows this certificate: add \"tls: true\" to a listener of the gateway")
        }
    }
}
