/// Reads `realm`, `role` and `accounts`.
enum AccountsReader {
    /// - Parameters:
    ///   - tenant: The tenant's section.
    ///   - issues: Whether anybody gets tokens of the tenant's own issuer, and so an account.
    static func read(_ tenant: DocumentNode, issues: Bool, _ session: inout ReadingSession) -> AccountRules {
        let accounts = tenant["accounts"]
        if let hook = accounts?.entry("hook"), !issues {
            session.findings.warning(
                hook.keyPlace,
                "nobody asks the hook, no account is made here: sign in by \"then: issue\" or \"web\", or leave it out"
            )
        }
        return AccountRules(
            realm: name(tenant["realm"], "realm", &session),
            role: name(tenant["role"], "role", &session),
            linkByEmail: accounts?.boolean("link_by_email") ?? false,
            hook: accounts.flatMap { ProviderURL.read(in: $0, "hook", allowsQuery: true, &session) }
        )
    }

    private static func name(_ node: DocumentNode?, _ key: String, _ session: inout ReadingSession) -> String? {
        guard let node, let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        guard PrintableText.isPrintable(scalar.text) else {
            session.findings.error(
                node.place,
                "\"\(key)\" must be visible text on one line: leave control characters out"
            )
            return nil
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

/// That tenants which share accounts agree on how those are found.
struct SharedRealms {
    private struct First {
        var realm: String
        var tenant: String
        var line: Int
        var linkByEmail: Bool
    }

    private var realms: [First] = []

    mutating func check(_ tenant: Tenant, _ entry: DocumentNode.Entry, _ session: inout ReadingSession) {
        guard let realm = tenant.accounts.realm, let place = entry.value["realm"]?.place else { return }
        guard let first = realms.first(where: { $0.realm.utf8.elementsEqual(realm.utf8) }) else {
            realms.append(
                First(
                    realm: realm,
                    tenant: tenant.name,
                    line: place.line,
                    linkByEmail: tenant.accounts.linkByEmail
                )
            )
            return
        }
        guard first.linkByEmail != tenant.accounts.linkByEmail else { return }
        session.findings.warning(
            entry.value["accounts"]?["link_by_email"]?.place ?? place,
            "tenant \"\(first.tenant)\" has this realm too (line \(first.line)), with another \"link_by_email\", so "
                + "that accounts depend on where somebody signs in first: write the same in both"
        )
    }
}
