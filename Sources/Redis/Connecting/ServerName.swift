import NIOSSL

/// Whether a certificate is for the name of a server (RFC 9525 section 6).
///
/// The TLS library takes a certificate also if it is for the IP address that the connection goes to. Whoever can forge
/// the answer of a name server has such a certificate for an address of their own, so where a name was asked for, the
/// name has to be in the certificate.
enum ServerName {
    static func isNamed(_ name: String, by certificate: NIOSSLCertificate) -> Bool {
        let alternatives = certificate._subjectAlternativeNames()
        // Without any, the library compared the common name, and nothing else.
        guard !alternatives.isEmpty else { return true }
        return alternatives.contains { $0.nameType == .dnsName && matches(Array($0.contents), name) }
    }

    /// - Parameter pattern: A dNSName: a name, or `*.` and a name for all that have one label more.
    static func matches(_ pattern: [UInt8], _ name: String) -> Bool {
        let pattern = comparable(String(decoding: pattern, as: UTF8.self))
        let name = comparable(name)
        guard pattern.hasPrefix("*.") else { return !name.isEmpty && pattern == name }
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return false }
        let parent = pattern.dropFirst(2)
        return parent.contains(".") && name[name.index(after: dot)...] == parent
    }

    private static func comparable(_ name: String) -> String {
        (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
    }
}
