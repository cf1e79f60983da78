/// Reads the origins from which browsers may send unsafe requests with cookies: those of `csrf`, and those of `cors` if
/// it lets cookies through.
enum TrustedOriginsReader {
    static func read(_ tenant: DocumentNode, _ session: inout ReadingSession) -> [String] {
        var items = tenant["csrf"]?["trusted_origins"]?.items ?? []
        if tenant["cors"]?.boolean("credentials") == true { items += tenant["cors"]?["origins"]?.items ?? [] }
        var origins: [String] = []
        for item in items {
            guard let scalar = item.scalar, !scalar.text.isEmpty else { continue }
            do throws(ScalarText.Problem) {
                let origin = try origin(scalar.text)
                if !origins.contains(origin) { origins.append(origin) }
            } catch {
                session.findings.warning(
                    item.place,
                    "\(scalar.shown) is no origin, so that nothing is trusted by it: \(error.remedy)"
                )
            }
        }
        return origins
    }

    /// As browsers send it (RFC 6454 section 6.2): in lower case, without the scheme's own port.
    private static func origin(_ text: String) throws(ScalarText.Problem) -> String {
        let lowercased = text.lowercased()
        let scheme = lowercased.hasPrefix("https://") ? "https" : "http"
        guard lowercased.hasPrefix("\(scheme)://") else {
            throw ScalarText.Problem(remedy: "write it like https://app.example.com")
        }
        let authority = lowercased.dropFirst(scheme.count + 3)
        guard !authority.contains(where: { "/?#@".contains($0) }) else {
            throw ScalarText.Problem(
                remedy: "write the scheme, the host and the port alone, like https://app.example.com"
            )
        }
        let standard = scheme == "https" ? 443 : 80
        let address = try NetworkText.hostPort(String(authority), defaultPort: standard, ports: 1...65_535)
        guard address.port == standard else { return "\(scheme)://\(address)" }
        return "\(scheme)://\(address.host.contains(":") ? "[\(address.host)]" : address.host)"
    }
}
