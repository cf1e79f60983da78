import Verification

/// Makes the policy for tokens of a tenant's own issuer from its `issuer` section.
enum BuiltInIssuerReader {
    /// - Parameter preset: Where `preset: built-in` stands.
    static func read(
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
        guard let url = entry.value.text("url"), let audience = entry.value.text("audience"),
            let algorithm = entry.value.text("algorithm").flatMap(SignatureAlgorithm.init(rawValue:))
        else { return nil }
        var issuer = TrustedIssuer(
            policy: IssuerPolicy(issuer: url, audiences: [audience], algorithms: [algorithm], keys: .empty),
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
        guard let keys = readDirectory(directory, algorithm, &session) else { return nil }
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
