import ConfigurationText
import Verification

/// Reads where a provider of `sign_in.providers` is: by its metadata, by a preset, or address by address.
struct NamedServiceReader {
    let entry: DocumentNode.Entry
    let preset: SignInPreset?

    private static let keys = Schema.namedProvider

    private var node: DocumentNode { entry.value }

    /// - Returns: nil if there is none, which was reported.
    func read(_ session: ReadingSession) -> NamedProvider.Service? {
        let arguments = PresetArguments(
            node,
            preset: preset?.name,
            asking: node[Self.keys.issuer] == nil ? preset?.arguments ?? [] : [],
            session
        )
        if let oauth2 = node.entry(Self.keys.oauth2) { return readOAuth2(oauth2, session) }
        if let value = node[Self.keys.issuer] { return readIssuer(value, session) }
        switch preset?.service {
        case .openID(let template)?:
            let issuer = arguments.filled(template, or: "\"issuer\"") { fault in
                session.at(node[Self.keys.preset] ?? node).error("preset \(preset?.name ?? "") \(fault)")
            }
            return issuer.flatMap { service(issuer: $0, session) }
        case .oauth2(let service)?:
            refuseOpenIDKeys("with preset \(preset?.name ?? "")", session)
            return .oauth2(service)
        case nil:
            return session.at(entry).refuse(
                "provider \"\(entry.key)\" has no address: add \"issuer\", \"preset\" or \"oauth2\""
            )
        }
    }

    private func readOAuth2(_ section: DocumentNode.Entry, _ session: ReadingSession) -> NamedProvider.Service? {
        if let issuer = node.entry(Self.keys.issuer) {
            session.at(issuer).error("a provider has either \"issuer\" or \"oauth2\": leave one out")
        }
        refuseOpenIDKeys("with \"oauth2\"", session)
        let keys = Schema.oauth2Service
        let authorize = ProviderURLReader.read(keys.authorizeURL, in: section.value, allowsQuery: true, session)
        let token = ProviderURLReader.read(keys.tokenURL, in: section.value, session)
        let userInfo = ProviderURLReader.read(keys.userinfoURL, in: section.value, allowsQuery: true, session)
        let emails = ProviderURLReader.read(keys.emailsURL, in: section.value, allowsQuery: true, session)
        guard let authorize, let token, let userInfo else { return nil }
        return .oauth2(
            OAuth2Service(authorizeURL: authorize, tokenURL: token, userInfoURL: userInfo, emailsURL: emails)
        )
    }

    private func refuseOpenIDKeys(_ place: String, _ session: ReadingSession) {
        for case let entry? in [node.entry(Self.keys.metadataURL), node.entry(Self.keys.jwksURL)] {
            session.at(entry).error("\"\(entry.key)\" is not looked at \(place): leave it out")
        }
    }

    private func readIssuer(_ value: DocumentNode, _ session: ReadingSession) -> NamedProvider.Service? {
        guard let scalar = value.filled else { return nil }
        let variable = OpenIDService.directoryVariable
        guard scalar.text.contains(variable) else {
            let issuer = ProviderURLReader.read(value, name: "\"issuer\"", allowsQuery: false, session)
            return issuer.flatMap { service(issuer: $0, session) }
        }
        let missing = [Self.keys.metadataURL, Self.keys.jwksURL].filter { node[$0] == nil }
        for key in missing {
            session.at(value).error(
                "an issuer with \(variable) is no address, so that nothing is found by it: add \"\(key.name)\""
            )
        }
        return missing.isEmpty ? service(issuer: scalar.text, session) : nil
    }

    private func service(issuer: String, _ session: ReadingSession) -> NamedProvider.Service? {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var metadataURL = base + "/.well-known/openid-configuration"
        if let value = node[Self.keys.metadataURL] {
            guard let url = ProviderURLReader.read(value, name: "\"metadata_url\"", session) else { return nil }
            metadataURL = url
            if node[Self.keys.jwksURL] == nil {
                return session.at(value).refuse(
                    "beside \"metadata_url\" the keys are not looked for below the issuer: add \"jwks_url\""
                )
            }
        }
        var keys = RemoteKeySource(location: .discovery(issuer: issuer))
        if let value = node[Self.keys.jwksURL] {
            guard let url = ProviderURLReader.read(value, name: "\"jwks_url\"", session) else { return nil }
            keys.location = .keySet(url: url)
        }
        return .openID(OpenIDService(issuer: issuer, metadataURL: metadataURL, keys: keys))
    }
}
