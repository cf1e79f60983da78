import ConfigurationText

/// Reads `log` and `tracing`.
enum ObservingReader {
    static func readLog(_ node: DocumentNode?) -> LogSettings {
        let levels = zip(LogModule.allCases, Schema.levels.modules).compactMap { module, key in
            node?[Schema.log.levels].read(key).map { (module, $0) }
        }
        return LogSettings(
            level: node.read(Schema.log.level),
            levels: Dictionary(uniqueKeysWithValues: levels),
            format: node.read(Schema.log.format),
            access: node.read(Schema.log.access),
            query: node.read(Schema.log.query)
        )
    }

    static func readTracing(_ node: DocumentNode?, _ session: ReadingSession) -> TracingSettings? {
        guard let node, let value = node[Schema.tracing.otlp], let scalar = value.filled else { return nil }
        let fault = "\"otlp\" must be the http:// or https:// address of a collector, like http://127.0.0.1:4318"
        return session.at(value).value(of: try endpoint(scalar.text), or: fault).map {
            TracingSettings(endpoint: $0, sample: node.read(Schema.tracing.sample))
        }
    }

    /// The address that traces are sent to: `/v1/traces` below the given one (OTLP 1.x, section OTLP/HTTP request).
    private static func endpoint(_ text: String) throws(Remedy) -> String {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { throw Remedy("begin with one of them") }
        try NetworkText.checkURLCharacters(text)
        guard !text.contains("#"), !text.contains("?") else {
            throw Remedy("leave \"?\" or \"#\" and what follows it out")
        }
        let authority = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw Remedy("leave the user and the password out, they are not used")
        }
        _ = try NetworkText.hostPort(String(authority), defaultPort: isSecure ? 443 : 80, ports: 1...65_535)
        let path = "/v1/traces"
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        return base.hasSuffix(path) ? base : base + path
    }
}
