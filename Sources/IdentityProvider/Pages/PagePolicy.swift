/// What a page may do besides being read (Content Security Policy Level 3).
struct PagePolicy: Sendable, Equatable {
    /// Where its forms go; nil: it has none.
    var form: String?
    /// Where its forms lead on to, or go, elsewhere: source expressions. Browsers hold redirects after a form to it too.
    var targets: [String] = []
    /// What its hidden frames may show: source expressions.
    var frames: [String] = []
    /// Of its inline script; nil: it has none.
    var scriptHash: String?
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
        let forms = (form == nil && !targets.isEmpty ? [] : [source(form)]) + targets
        var text = "form-action \(forms.joined(separator: " "))"
        if let scriptHash {
            text += "; script-src '\(scriptHash)'"
        } else if script != nil {
            text += "; script-src \(source(script))"
        }
        if !frames.isEmpty { text += "; frame-src \(frames.joined(separator: " "))" }
        if connection != nil { text += "; connect-src \(source(connection))" }
        return text
    }

    /// The source expression of a URL: its origin, or its scheme where that is an app's own.
    static func source(of url: String) -> String {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let rest = url.dropFirst(scheme.count + 1)
        guard scheme == "https" || scheme == "http", rest.hasPrefix("//") else { return "\(scheme):" }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }.lowercased()
        // An IPv6 address cannot be named.
        return isHost(authority) ? "\(scheme)://\(authority)" : "\(scheme):"
    }

    /// What the page tells other sites of itself.
    var referrer: String {
        if form != nil { return "same-origin" }
        // The client may want to know that its form comes from here.
        return targets.isEmpty ? "no-referrer" : "strict-origin"
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
