import ConfigurationText

/// Reads origins.
enum OriginText {
    /// Schemes of pages in apps (Capacitor, Ionic) and in browser extensions, which have no server.
    private static let appSchemes = ["capacitor", "ionic", "chrome-extension", "moz-extension"]

    /// The valid origins of a list, each once; the others are reported.
    static func read(_ items: [DocumentNode], _ session: ReadingSession) -> [String] {
        var origins: [String] = []
        for item in items {
            guard let scalar = item.filled else { continue }
            let read = session.at(item).value(of: try origin(scalar.text), or: "\(scalar.shown) is no origin")
            if let origin = read, !origins.contains(origin) { origins.append(origin) }
        }
        return origins
    }

    /// As browsers send it (RFC 6454 section 6.2): in lower case, without the scheme's own port.
    private static func origin(_ text: String) throws(Remedy) -> String {
        let lowercased = text.lowercased()
        guard let scheme = (["https", "http"] + appSchemes).first(where: { lowercased.hasPrefix("\($0)://") }) else {
            throw Remedy("write it like https://app.example.com")
        }
        let authority = lowercased.dropFirst(scheme.count + 3)
        guard !authority.contains(where: { "/?#@".contains($0) }) else {
            throw Remedy("write the scheme, the host and the port alone, like https://app.example.com")
        }
        guard !authority.contains("*") else { throw Remedy("name each host in full, like https://app.example.com") }
        if appSchemes.contains(scheme) {
            try NetworkText.checkName(String(authority))
            return "\(scheme)://\(authority)"
        }
        let defaultPort = scheme == "https" ? 443 : 80
        let address = try NetworkText.hostPort(String(authority), defaultPort: defaultPort, ports: 1...65_535)
        guard address.port == defaultPort else { return "\(scheme)://\(address)" }
        return "\(scheme)://\(address.host.contains(":") ? "[\(address.host)]" : address.host)"
    }
}
