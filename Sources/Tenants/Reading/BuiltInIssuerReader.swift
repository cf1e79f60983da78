import Verification

/// Makes the policy for tokens of a tenant's own issuer from its `issuer` section.
enum BuiltInIssuerReader {
    /// - Parameter preset: Where `preset: built-in` stands.
    static func read(
        _ entry: DocumentNode.Entry?,
        preset: Place,
        _ session: inout ReadingSession
    ) -> IssuerPolicy? {
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
        var keys = KeySet.empty
        if let directory = entry.value["keys_dir"] {
            guard let read = readDirectory(directory, algorithm, &session) else { return nil }
            keys = read
        } else {
            session.findings.notInEffect(
                preset,
                "preset \"built-in\" without \"keys_dir\" in \"issuer\"",
                KeySourceReader.refused
            )
        }
        return IssuerPolicy(issuer: url, audiences: [audience], algorithms: [algorithm], keys: keys)
    }

    /// - Returns: The empty set where the directory does not exist or holds no key: keys may be made later.
    private static func readDirectory(
        _ node: DocumentNode,
        _ algorithm: SignatureAlgorithm,
        _ session: inout ReadingSession
    ) -> KeySet? {
        guard let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        let directory = session.resolve(scalar.text)
        var names: [String] = []
        do throws(FileReadingError) {
            names = try session.files.list(directory).filter { KeyFile.kind(of: $0) != nil }.sorted()
        } catch .notFound {
        } catch {
            session.findings.error(node.place, "\"keys_dir\" cannot be read, \(scalar.shown): \(error)")
            return nil
        }
        guard !names.isEmpty else {
            session.findings.warning(
                node.place,
                "no key in \(scalar.shown): \(KeySourceReader.refused) until there is one (gatehouse keys generate "
                    + "--algorithm \(algorithm.rawValue) --out \(scalar.variables.isEmpty ? directory : "DIR"))"
            )
            return KeySet.empty
        }
        return keySet(names, in: directory, algorithm, node.place, &session)
    }

    private static func keySet(
        _ names: [String],
        in directory: String,
        _ algorithm: SignatureAlgorithm,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> KeySet? {
        if let only = names.first, names.count == 1, let keys = KeyFile.publicKeys(only, in: directory, session.files) {
            return checked(keys, algorithm, place, &session)
        }
        var members: [JSONValue] = []
        var isGood = true
        for name in names {
            do throws(KeyFile.Problem) {
                members += try KeyFile.read(name, in: directory, algorithm, session.files)
            } catch {
                session.findings.error(place, "\"keys_dir\" holds \"\(name)\": \(error.description)")
                isGood = false
            }
        }
        guard isGood else { return nil }
        do throws(KeySetError) {
            let keys = try KeySet(jwks: JSONWriter.bytes(of: ["keys": .array(members)] as JSONObject), origin: .file)
            return checked(keys, algorithm, place, &session)
        } catch {
            session.findings.error(place, "\"keys_dir\" has no key that can be used: \(error)")
            return nil
        }
    }

    private static func checked(
        _ keys: KeySet,
        _ algorithm: SignatureAlgorithm,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> KeySet? {
        guard keys.keys.contains(where: { $0.algorithms.contains(algorithm) }) else {
            session.findings.error(
                place,
                "\"keys_dir\" has no key for \(algorithm.rawValue): add one, or change \"algorithm\""
            )
            return nil
        }
        return keys
    }
}
