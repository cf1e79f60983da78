import ConfigurationText
import Verification

/// Reads `sign_in.providers`.
struct NamedProvidersReader {
    /// More providers fit on no page, and each has its metadata and keys in memory.
    private static let most = 32

    let node: DocumentNode

    /// In the order of the file; what cannot be read is left out, and was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> [NamedProvider] {
        let entries = node.entries
        if entries.count > Self.most {
            session.at(node).error("a tenant has at most \(Self.most) \"providers\": leave some out")
        }
        var providers: [NamedProvider] = []
        for entry in entries.prefix(Self.most) {
            guard isName(entry, session) else { continue }
            let reader = NamedProviderReader(entry: entry, node: entry.value)
            if let provider = reader.read(&paths, session) { providers.append(provider) }
        }
        return providers
    }

    private func isName(_ entry: DocumentNode.Entry, _ session: ReadingSession) -> Bool {
        if SignIn.Provider.wellKnown.contains(where: { $0.rawValue == entry.key.lowercased() }) {
            session.at(entry).error(
                "\"\(entry.key)\" has a section of its own beside \"providers\": use that, or another name"
            )
            return false
        }
        if entry.key.lowercased() == SignIn.Provider.passkey {
            session.at(entry).error("\"\(entry.key)\" is the name of sign-ins with passkeys: choose another")
            return false
        }
        guard SignIn.Provider.isName(entry.key) else {
            session.at(entry).error(
                "\"\(entry.key)\" is no provider's name: write at most \(SignIn.Provider.longestName) letters, digits, "
                    + "\"-\" and \"_\", a letter first"
            )
            return false
        }
        return true
    }
}

/// Reads one entry of `sign_in.providers`.
struct NamedProviderReader {
    let entry: DocumentNode.Entry
    let node: DocumentNode

    private static let keys = Schema.namedProvider

    /// - Returns: nil if a part is missing or malformed, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> NamedProvider? {
        guard case .map = node.content else { return nil }
        let keys = Self.keys
        let preset = node.read(keys.preset)
        let service = NamedServiceReader(entry: entry, preset: preset).read(session)
        let clientID = ClientText.read(keys.clientID, in: node, session)
        let label = readLabel(session)
        let secret = node[keys.clientSecret].flatMap { ClientSecretReader.read($0, provider: label, session) }
        let claims = node[keys.claims].map { readClaims($0, session) } ?? []
        let scopes = readScopes(preset, service, session)
        let subject = place(node[keys.subject], keys.subject.name, else: preset?.subject ?? "sub", session)
        let email = place(node[keys.email], keys.email.name, else: keys.email.default, session)
        let fullName = place(node[keys.fullName], keys.fullName.name, else: keys.fullName.default, session)
        let emailRule = readEmailRule(preset, service, session)
        let exchange = node.entry(keys.exchange).flatMap { readExchange($0, service, &paths, session) }
        guard let service, let clientID, let subject, let email, let fullName, let emailRule else { return nil }
        return NamedProvider(
            name: entry.key,
            label: label,
            service: service,
            clientID: clientID,
            clientSecret: secret?.isEmpty == true ? nil : secret,
            clientProof: node.read(keys.clientProof),
            scopes: scopes,
            subject: subject,
            email: email,
            emailVerified: emailRule,
            fullName: fullName,
            claims: claims,
            exchange: exchange
        )
    }

    private func readLabel(_ session: ReadingSession) -> String {
        let known = node.read(Self.keys.preset)?.label ?? entry.key
        guard let value = node[Self.keys.label], let scalar = value.filled else { return known }
        guard PrintableText.isPrintable(scalar.text), scalar.text.utf8.count <= 64 else {
            session.at(value).error("\"label\" must be visible text of at most 64 bytes on one line: shorten it")
            return known
        }
        return scalar.text
    }

    private func readScopes(
        _ preset: SignInPreset?,
        _ service: NamedProvider.Service?,
        _ session: ReadingSession
    ) -> [String] {
        guard let value = node[Self.keys.scopes] else {
            if let preset { return preset.scopes }
            if case .oauth2? = service { return [] }
            return ["openid", "email", "profile"]
        }
        let scopes = IssuerClientsReader.readScopes(value, session)
        if case .openID? = service, !scopes.contains("openid") {
            session.at(value).error("without the scope openid a provider signs no ID token: add it to \"scopes\"")
        }
        return scopes
    }

    private func place(
        _ value: DocumentNode?,
        _ name: String,
        else known: String,
        _ session: ReadingSession
    ) -> ClaimPlace? {
        value.map { ClaimPlaceReader.read($0, name: name, session) } ?? ClaimPlace(known)
    }

    private func readEmailRule(
        _ preset: SignInPreset?,
        _ service: NamedProvider.Service?,
        _ session: ReadingSession
    ) -> NamedProvider.EmailRule? {
        var known = preset?.emailVerified ?? "email_verified"
        if preset == nil, case .oauth2? = service { known = "never" }
        let value = node[Self.keys.emailVerified]
        switch value?.scalar?.text ?? known {
        case "always": return .always
        case "never": return .never
        default: return place(value, Self.keys.emailVerified.name, else: known, session).map { .claim($0) }
        }
    }

    // MARK: Claims

    private static let mostClaims = 32

    private func readClaims(_ section: DocumentNode, _ session: ReadingSession) -> [NamedProvider.MappedClaim] {
        if section.entries.count > Self.mostClaims {
            session.at(section).error("a provider has at most \(Self.mostClaims) \"claims\": leave some out")
        }
        return section.entries.prefix(Self.mostClaims).compactMap { claim in
            guard !ReservedClaims.names.contains(claim.key), !ReservedClaims.ofAccounts.contains(claim.key) else {
                return session.at(claim)
                    .refuse("\"\(claim.key)\" is a claim that only the tenant's own issuer sets: choose another name")
            }
            guard PrintableText.isPrintable(claim.key), claim.key.utf8.count <= 64 else {
                return session.at(claim).refuse("a claim's name is visible text of at most 64 bytes: shorten it")
            }
            return ClaimPlaceReader.read(claim.value, name: claim.key, session)
                .map { NamedProvider.MappedClaim(name: claim.key, place: $0) }
        }
    }

    // MARK: Exchange

    private func readExchange(
        _ section: DocumentNode.Entry,
        _ service: NamedProvider.Service?,
        _ paths: inout EndpointPaths,
        _ session: ReadingSession
    ) -> NamedProvider.Exchange? {
        if case .oauth2? = service {
            return session.at(section)
                .refuse("\"exchange\" takes ID tokens, and a provider of \"oauth2\" signs none: leave it out")
        }
        let node = section.value
        let path = paths.read(Schema.namedExchange.path, in: node, session)
        let then = node.read(Schema.namedExchange.then)
        guard let path, let then else { return nil }
        return NamedProvider.Exchange(
            path: path,
            clientIDs: node.read(Schema.namedExchange.clientIDs) ?? [],
            then: then
        )
    }
}
