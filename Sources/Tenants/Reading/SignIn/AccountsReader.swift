import ConfigurationText

/// Reads `realm`, `role` and `accounts`.
enum AccountsReader {
    /// - Parameters:
    ///   - tenant: The tenant's section.
    ///   - issues: Whether people get tokens of the tenant's own issuer, and so accounts.
    static func read(_ tenant: DocumentNode, issues: Bool, _ session: ReadingSession) -> AccountRules {
        let accounts = tenant[Schema.tenant.accounts]
        if let hook = accounts?.entry(Schema.accounts.hook) {
            if tenant[Schema.tenant.issuer] == nil {
                session.at(hook).error(
                    "the tenant's own issuer signs what the hook is asked, and there is none: add an \"issuer\" "
                        + "section, or leave \"hook\" out"
                )
            } else if !issues {
                session.at(hook).warning(
                    "nobody asks the hook, no account is made here: sign in by \"then: issue\" or \"web\", or leave it "
                        + "out"
                )
            }
        }
        return AccountRules(
            realm: name(Schema.tenant.realm, tenant, session),
            role: name(Schema.tenant.role, tenant, session),
            linkByEmail: accounts.read(Schema.accounts.linkByEmail),
            hook: accounts.flatMap { ProviderURLReader.read(Schema.accounts.hook, in: $0, allowsQuery: true, session) }
        )
    }

    private static func name(_ key: Key<String?>, _ tenant: DocumentNode, _ session: ReadingSession) -> String? {
        guard let node = tenant[key], let scalar = node.filled else { return nil }
        guard PrintableText.isPrintable(scalar.text) else {
            return session.at(node)
                .refuse("\"\(key.name)\" must be visible text on one line: leave control characters out")
        }
        return scalar.text
    }
}

/// Text that is shown to people.
enum PrintableText {
    /// U+200C and U+200D, without which Persian, Urdu, many languages of India, and some emoji are not written correctly.
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]

    /// Whether it is not blank and has no control characters, line breaks or bidirectional formatting.
    ///
    /// - Parameter allowsJoiners: For whole sentences. Names that look alike could differ by them.
    static func isPrintable(_ text: String, allowsJoiners: Bool = false) -> Bool {
        text.unicodeScalars.contains { !$0.properties.isWhitespace && !joiners.contains($0) }
            && text.unicodeScalars.allSatisfy { scalar in
                if allowsJoiners, joiners.contains(scalar) { return true }
                return switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
                default: true
                }
            }
    }
}
