import Verification

/// Reads a tenant's `issuer`, and makes the policy for its tokens.
enum BuiltInIssuerReader {
    /// - Returns: nil where a part is missing or no such thing, which the schema's check reports.
    static func read(_ node: DocumentNode, _ session: ReadingSession) -> BuiltInIssuer? {
        guard let url = node.text("url"), let audience = node.text("audience"),
            let algorithm = node.text("algorithm").flatMap(SignatureAlgorithm.init(rawValue:))
        else { return nil }
        var issuer = BuiltInIssuer(url: url, audience: audience, algorithm: algorithm)
        issuer.access = node.duration("access") ?? issuer.access
        issuer.id = node.duration("id") ?? issuer.id
        issuer.refresh = node.duration("refresh") ?? issuer.refresh
        if let directory = node.text("keys_dir"), !directory.isEmpty {
            issuer.keysDirectory = session.resolve(directory)
        }
        return issuer
    }

    /// - Parameter preset: Where `preset: built-in` stands.
    static func readTrusted(
        _ entry: DocumentNode.Entry?,
        preset: Place,
        _ session: inout ReadingSession
    ) -> TrustedIssuer? {
        guard let entry else {
            session.findings.error(
                preset,
                "preset \"built-in\" is the tenant's own issuer, and it has none: add an \"issuer\" section"
            )
            return nil
        }
        guard let own = read(entry.value, session) else { return nil }
        var issuer = TrustedIssuer(
            policy: IssuerPolicy(
                issuer: own.url,
                audiences: [own.audience],
                algorithms: [own.algorithm],
                keys: .empty
            ),
            source: .inline
        )
        guard let directory = entry.value["keys_dir"] else {
            session.findings.notInEffect(
                preset,
                "preset \"built-in\" without \"keys_dir\" in \"issuer\"",
                KeySourceReader.refused
            )
            return issuer
        }
        guard let keys = readDirectory(directory, own.algorithm, &session) else { return nil }
        issuer.policy.keys = keys.keys
        issuer.source = keys.source
        return issuer
    }

    /// - Returns: The empty set where the directory does not exist or holds no key: keys may be made later.
    private static func readDirectory(
        _ node: DocumentNode,
        _ algorithm: SignatureAlgorithm,
        _ session: inout ReadingSession
    ) -> IssuerKeys? {
        guard let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        let source = KeyFileSource(kind: .directory, path: session.resolve(scalar.text), algorithms: [algorithm])
        do throws(KeyFileFault) {
            let keys = try source.keySet(session.files)
            if keys.keys.isEmpty {
                let directory = scalar.variables.isEmpty ? source.path : "DIR"
                session.findings.warning(
                    node.place,
                    "no key in \(scalar.shown): \(KeySourceReader.refused) until there is one (gatehouse keys generate "
                        + "--algorithm \(algorithm.rawValue) --out \(directory))"
                )
            }
            return IssuerKeys(keys: keys, source: .file(source))
        } catch {
            session.findings.report(error, "\"keys_dir\"", node)
            return nil
        }
    }
}
