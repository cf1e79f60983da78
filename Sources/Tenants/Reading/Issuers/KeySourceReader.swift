import ConfigurationText
import Verification

/// The keys of one issuer, without those that have to be fetched, and where they come from.
struct SourcedKeys {
    /// nil if they have to be fetched.
    var keys: KeySet?
    var source: KeySource
}

/// Reads the key source of an issuer, with its keys.
enum KeySourceReader {
    /// - Parameters:
    ///   - kind: Not `preset`, which has a reader of its own.
    ///   - issuer: The value of `issuer`, the base of `discovery`.
    ///   - allowsPlainHTTP: Whether the keys may come over http beyond loopback.
    /// - Returns: nil if there are none, which was reported.
    static func read(
        _ kind: KeySourceName,
        _ source: DocumentNode.Entry,
        _ algorithms: [SignatureAlgorithm],
        issuer: DocumentNode,
        allowsPlainHTTP: Bool,
        _ session: ReadingSession
    ) -> SourcedKeys? {
        let name = "\"\(source.key)\""
        switch kind {
        case .secret: return secret(source, algorithms, session)
        case .secretFile: return file(.secret, source, algorithms, session)
        case .publicKeyFile: return file(.publicKey, source, algorithms, session)
        case .keySetFile: return file(.keySet, source, algorithms, session)
        case .discovery:
            let url = ProviderURLReader.read(
                issuer,
                name: "with \(name), \"issuer\"",
                allowsQuery: false,
                allowsPlain: allowsPlainHTTP,
                session
            )
            return url.map { remote(.discovery(issuer: $0), at: $0, allowsPlainHTTP) }
        case .keySetURL, .preset:
            let url = ProviderURLReader.read(source.value, name: name, allowsPlain: allowsPlainHTTP, session)
            return url.map { remote(.keySet(url: $0), at: $0, allowsPlainHTTP) }
        }
    }

    static func remote(
        _ location: RemoteKeySource.Location,
        at url: String,
        _ allowsPlainHTTP: Bool
    ) -> SourcedKeys {
        var source = RemoteKeySource(location: location)
        // Where it changes nothing, the source stays equal to that of issuers without it: they share one set.
        source.allowsPlainHTTP = allowsPlainHTTP && ProviderURLReader.isOpenToOthers(url)
        return SourcedKeys(keys: nil, source: .remote(source))
    }

    private static func secret(
        _ source: DocumentNode.Entry,
        _ algorithms: [SignatureAlgorithm],
        _ session: ReadingSession
    ) -> SourcedKeys? {
        guard let scalar = source.value.scalar else { return nil }
        let name = "\"\(source.key)\""
        do throws(KeyFileFault) {
            let keys = try KeyFileSource.keySet(secret: Array(scalar.text.utf8), algorithms)
            session.checkExample(Secret(scalar.text), name: name, source.value)
            return SourcedKeys(keys: keys, source: .inline)
        } catch {
            session.findings.report(error, name, source.value)
            return nil
        }
    }

    private static func file(
        _ kind: KeyFileSource.Kind,
        _ source: DocumentNode.Entry,
        _ algorithms: [SignatureAlgorithm],
        _ session: ReadingSession
    ) -> SourcedKeys? {
        guard let scalar = source.value.scalar, !scalar.text.isEmpty else { return nil }
        let name = "\"\(source.key)\""
        let file = KeyFileSource(kind: kind, path: session.resolve(scalar.text), algorithms: algorithms)
        do throws(KeyFileFault) {
            let keys = try file.keySet(session.files)
            if kind == .secret {
                session.checkExample(Secret(try file.secret(session.files)), name: name, source.value)
            }
            return SourcedKeys(keys: keys, source: .file(file))
        } catch {
            session.findings.report(error, name, source.value)
            return nil
        }
    }
}

extension Findings {
    /// - Parameters:
    ///   - name: The key of tenants.yaml, in quotes.
    ///   - node: Its value. Messages show the name of a file, but neither a secret nor a value of the environment.
    func report(_ fault: KeyFileFault, _ name: String, _ node: DocumentNode) {
        let variable = node.scalar?.variables.first
        for message in fault.messages(subject: name, shown: ", \(node.shown)", variable: variable) {
            error(node.position, message)
        }
    }
}
