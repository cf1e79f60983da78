/// Reads `realm`, `role` and `accounts`.
enum AccountsReader {
    /// - Parameters:
    ///   - tenant: The tenant's section.
    ///   - issues: Whether anybody gets tokens of the tenant's own issuer, and so an account.
    static func read(_ tenant: DocumentNode, issues: Bool, _ session: inout ReadingSession) -> AccountRules {
        let accounts = tenant[Schema.tenant.accounts]
        if let hook = accounts?.entry(Schema.accounts.hook) {
            if tenant[Schema.tenant.issuer] == nil {
                session.findings.error(
                    hook.keyPlace,
                    "the tenant's own issuer signs what the hook is asked, and there is none: add an \"issuer\" section, "
                        + "or leave \"hook\" out"
                )
            } else if !issues {
                session.findings.warning(
                    hook.keyPlace,
                    "nobody asks the hook, no account is made here: sign in by \"then: issue\" or \"web\", or leave it "
                        + "out"
                )
            }
        }
        return AccountRules(
            realm: name(Schema.tenant.realm, tenant, &session),
            role: name(Schema.tenant.role, tenant, &session),
            linkByEmail: accounts.read(Schema.accounts.linkByEmail),
            hook: accounts.flatMap { ProviderURLReader.read(Schema.accounts.hook, in: $0, allowsQuery: true, &session) }
        )
    }

    private static func name(
        _ key: Key<String?>,
        _ tenant: DocumentNode,
        _ session: inout ReadingSession
    ) -> String? {
        guard let node = tenant[key], let scalar = node.filled else { return nil }
        guard PrintableText.isPrintable(scalar.text) else {
            return session.refuse(
                node.place,
                "\"\(key.name)\" must be visible text on one line: leave control characters out"
            )
        }
        return scalar.text
    }
}

/// Text that people see.
enum PrintableText {
    /// Whether it has neither control characters nor line breaks nor what turns the direction of text, and is not
    /// blank.
    static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.properties.isWhitespace }
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
                default: true
                }
            }
    }
}
