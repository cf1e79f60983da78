import Verification

/// A revocation of the admin API as one line of text.
enum RevocationLine {
    static func text(of revocation: JSONObject) -> String {
        var parts = ["tenant \(member("tenant", revocation))", what(revocation)]
        if let expiresAt = revocation["expires_at"] {
            parts.append(expiresAt.string.map { "until \(printable($0))" } ?? "until it is withdrawn")
        }
        return parts.joined(separator: ", ")
    }

    private static func what(_ revocation: JSONObject) -> String {
        let id = member("id", revocation)
        switch revocation["kind"]?.string {
        case "jti": return "token \(id) of \(member("issuer", revocation))"
        case "token": return "one token, by its content"
        case "session": return "session \(id)"
        case "subject": return "subject \(id), \(issuedBefore(revocation))"
        case "all": return "all \(issuedBefore(revocation))"
        case "restored": return "a revocation known only by its digest"
        default: return "\(member("kind", revocation)) \(id)"
        }
    }

    /// A token says its time in whole seconds: one that another issuer signs in the second of the revocation is refused
    /// too.
    private static func issuedBefore(_ revocation: JSONObject) -> String {
        guard revocation["accepted_from"] != nil else {
            return "tokens issued before \(member("revoked_at", revocation))"
        }
        return "tokens issued before \(member("accepted_from", revocation)), the second of the revocation included"
    }

    private static func member(_ name: String, _ revocation: JSONObject) -> String {
        revocation[name]?.string.map(printable) ?? "?"
    }

    /// Without control characters and characters that change the direction of text.
    static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
