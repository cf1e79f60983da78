/// What a page may do besides being read (Content Security Policy Level 3).
struct PagePolicy: Sendable, Equatable {
    /// Where its forms go; nil: it has none.
    var form: String?
    /// Its one script; nil: it has none.
    var script: String?
    /// Where that script sends what it has; nil: nowhere.
    var connection: String?

    /// Links alone.
    static let linksAlone = PagePolicy()

    /// The source expressions, on the host of the request: each names one path, since a backend on the same host may
    /// serve what its users have written.
    func directives(on authority: String) -> String {
        func source(_ path: String?) -> String {
            guard let path, Self.isHost(authority) else { return "'none'" }
            return authority + PagePath.encoded(path)
        }
        var text = "form-action \(source(form))"
        if script != nil { text += "; script-src \(source(script))" }
        if connection != nil { text += "; connect-src \(source(connection))" }
        return text
    }

    /// Whether a source expression may name it: no IPv6 address, and nothing that ends one.
    private static func isHost(_ authority: String) -> Bool {
        !authority.isEmpty
            && authority.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

/// A configured path in a URL.
enum PagePath {
    /// With everything but unreserved characters and slashes percent-encoded.
    static func encoded(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { FormText.encoded(String($0)) }
            .joined(separator: "/")
    }
}
