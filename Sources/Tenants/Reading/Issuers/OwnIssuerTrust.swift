import ConfigurationText
import Verification

/// Makes the policy for the tokens of the tenant's own issuer: `preset: built-in`.
struct OwnIssuerTrust {
    let owner: IssuerOwner
    /// The value of `preset`.
    let preset: DocumentNode

    /// - Returns: nil if there is no issuer, or if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> TrustedIssuer? {
        guard let section = owner.node[Schema.tenant.issuer] else {
            return session.at(preset)
                .refuse("preset \"built-in\" is the tenant's own issuer, and it has none: add an \"issuer\" section")
        }
        guard let own = owner.issuer else { return nil }
        var keys = SourcedKeys(keys: nil, source: .builtIn(tenant: owner.name))
        if let directory = section[Schema.issuer.keysDir] {
            guard let inDirectory = readDirectory(directory, own.algorithm, session) else { return nil }
            keys = inDirectory
        } else if own.givenKeys != nil || Self.givenKeys.contains(where: { section.entry(named: $0) != nil }) {
            guard let given = Self.given(own, session) else { return nil }
            keys = given
        }
        return TrustedIssuer(
            policy: IssuerPolicy(
                issuer: own.url,
                audiences: [own.audience],
                algorithms: [own.algorithm],
                keys: keys.keys,
                requiresAccessTokenType: true
            ),
            source: keys.source
        )
    }

    private static let givenKeys = [Schema.issuer.key.name, Schema.issuer.keyFile.name, Schema.issuer.keyFiles.name]

    /// - Returns: nil if they cannot be used, which their reader has reported.
    private static func given(_ own: BuiltInIssuer, _ session: ReadingSession) -> SourcedKeys? {
        switch own.givenKeys {
        case .inline(let keys)?:
            guard let keys = try? GivenSigningKey.publicKeys(keys) else { return nil }
            return SourcedKeys(keys: keys, source: .inline)
        case .files?:
            guard let source = own.keyFiles, let keys = try? source.keySet(session.files) else { return nil }
            return SourcedKeys(keys: keys, source: .file(source))
        case nil: return nil
        }
    }

    /// - Returns: The empty set if the directory does not exist or holds no key: keys may be made later.
    private func readDirectory(
        _ node: DocumentNode,
        _ algorithm: SignatureAlgorithm,
        _ session: ReadingSession
    ) -> SourcedKeys? {
        guard let scalar = node.filled else { return nil }
        let source = KeyFileSource(kind: .directory, path: session.resolve(scalar.text), algorithms: [algorithm])
        do throws(KeyFileFault) {
            let keys = try source.keySet(session.files)
            if keys.keys.isEmpty {
                let directory = scalar.variables.isEmpty ? source.path : "DIR"
                session.at(node).warning(
                    "no key in \(scalar.shown): tokens of this issuer are refused until there is one (gatehouse keys "
                        + "generate --algorithm \(algorithm.rawValue) --out \(directory))"
                )
            }
            return SourcedKeys(keys: keys, source: .file(source))
        } catch {
            session.findings.report(error, "\"keys_dir\"", node)
            return nil
        }
    }
}
