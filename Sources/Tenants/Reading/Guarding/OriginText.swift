/// Reads origins.
enum OriginText {
    /// Of pages in apps, which are loaded from no server (Capacitor, Ionic) or belong to a browser's extension.
    private static let appSchemes = ["capacitor", "ionic", "chrome-extension", "moz-extension"]

    /// Those of a list that are right, each once; the others are reported.
    static func read(_ items: [DocumentNode], _ session: inout ReadingSession) -> [String] {
        var origins: [String] = []
        for item in items {
            guard let scalar = item.filled else { continue }
            let read = session.value(at: item.place, "\(scalar.shown) is no origin") { () throws(ScalarText.Problem) in
                try origin(scalar.text)
            }
            if let origin = read, !origins.contains(origin) { origins.append(origin) }
        }
        return origins
    }

    /// As browsers send it (RFC 6454 section 6.2): in lower case, without the scheme's own port.
    private static func origin(_ text: String) throws(ScalarText.Problem) -> String {
        let lowercased = text.lowercased()
        guard let scheme = (["https", "http"] + appSchemes).first(where: { lowercased.hasPrefix("\($0)://") }) else {
            throw ScalarText.Problem(remedy: "write it like https://app.example.com")
        }
        let authority = lowercased.dropFirst(scheme.count + 3)
        guard !authority.contains(where: { "/?#@".contains($0) }) else {
            throw ScalarText.Problem(
                remedy: "write the scheme, the host and the port alone, like https://app.example.com"
            )
        }
        guard !authority.contains("*") else {
            throw ScalarText.Problem(remedy: "name each host in full, like https://app.example.com")
        }
        if appSchemes.contains(scheme) {
            try NetworkText.checkName(String(authority))
            return "\(scheme)://\(authority)"
        }
        let standard = scheme == "https" ? 443 : 80
        let address = try NetworkText.hostPort(String(authority), defaultPort: standard, ports: 1...65_535)
        guard address.port == standard else { return "\(scheme)://\(address)" }
        return "\(scheme)://\(address.host.contains(":") ? "[\(address.host)]" : address.host)"
    }
}
