import ConfigurationText

/// Reads `delete_account` of `sign_in`.
struct AccountDeletionReader {
    private static let keys = Schema.deleteAccount
    private static let callKeys = Schema.deletionCall

    /// `sign_in`.
    let node: DocumentNode
    let tenant: DocumentNode

    /// What cannot be read is left out, and was reported.
    func read(_ signIn: inout SignIn, _ paths: inout EndpointPaths, _ session: ReadingSession) {
        guard let entry = node.entry(Schema.signIn.deleteAccount) else { return }
        let path = entry.value[Self.keys.path].flatMap { readPath($0, &paths, session) }
        let callSection = entry.value.entry(Self.keys.call)
        let call = callSection.flatMap { readCall($0, session) }
        checkAppleKey(signIn, entry, session)
        guard let path else { return }
        signIn.deletion = AccountDeletionRules(method: path.method, path: path.path, call: call)
    }

    /// Reads `METHOD /path`, or a path alone.
    private func readPath(
        _ value: DocumentNode,
        _ paths: inout EndpointPaths,
        _ session: ReadingSession
    ) -> (method: String, path: PathPattern)? {
        guard let scalar = value.filled else { return nil }
        let words = scalar.text.split(separator: " ", omittingEmptySubsequences: false)
        let method = words.count == 2 ? String(words[0]) : AccountDeletionRules.methods[0]
        guard words.count <= 2, AccountDeletionRules.methods.contains(method) else {
            return session.at(value).refuse(
                "\"path\" must be a path, or DELETE or POST and a path, but is \(scalar.shown): write it like "
                    + "DELETE /api/account"
            )
        }
        guard let path = paths.read(String(words[words.count - 1]), Self.keys.path, at: value, session) else {
            return nil
        }
        let rules = AccountDeletionRules(method: method, path: path)
        paths.add(rules.receiptPath, of: value, key: Self.keys.path, session)
        return (method, path)
    }

    private func readCall(_ entry: DocumentNode.Entry, _ session: ReadingSession) -> AccountDeletionRules.Call? {
        if tenant[Schema.tenant.backend] == nil, tenant[Schema.tenant.backends] == nil {
            session.at(entry).error("\"call\" goes to the tenant's backend, and there is none: add a \"backend\"")
        }
        let method = readMethod(entry.value, session)
        guard let value = entry.value[Self.callKeys.path], let scalar = value.filled, let method else { return nil }
        let fault = "\"path\" must be a path on the backend"
        let path = session.at(value).value(of: try Self.checked(scalar.text), or: fault)
        return path.map { AccountDeletionRules.Call(method: method, path: $0) }
    }

    private func readMethod(_ call: DocumentNode, _ session: ReadingSession) -> String? {
        guard let value = call.given(Self.callKeys.method), let scalar = value.filled else { return nil }
        let method = scalar.text
        guard ["DELETE", "POST", "PUT", "PATCH"].contains(method) else {
            return session.at(value).refuse(
                "\(scalar.shown) deletes nothing: write DELETE, POST, PUT or PATCH, in capitals"
            )
        }
        return method
    }

    /// A path with or without a query, which is sent as it is but for the subject.
    private static func checked(_ text: String) throws(Remedy) -> String {
        let parts = text.split(separator: AccountDeletionRules.Call.subject, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw Remedy("write {subject} once where the account's subject belongs, like /internal/users/{subject}")
        }
        // Whatever the subject is, it has no character of a path's structure.
        let path = parts.joined(separator: "s")
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { throw Remedy("begin it with one \"/\"") }
        try NetworkText.checkURLCharacters(path)
        guard !path.contains("#") else { throw Remedy("leave \"#\" and what follows it out, it is never sent") }
        guard !path.prefix(while: { $0 != "?" }).split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { throw Remedy("leave its dot segments out") }
        return text
    }

    /// Apple takes a token back from its app's own team alone.
    private func checkAppleKey(_ signIn: SignIn, _ entry: DocumentNode.Entry, _ session: ReadingSession) {
        guard signIn.apple != nil, signIn.apple?.web == nil, node[Schema.signIn.apple]?[Schema.apple.web] == nil else {
            return
        }
        session.at(entry).warning(
            "what Apple gave for a deleted account is not taken back, which App Store rule 5.1.1(v) asks for: add "
                + "\"web\" with the team's key to \"apple\""
        )
    }
}
