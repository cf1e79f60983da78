import Verification

/// Makes the key set that an issuer's key source stands for.
enum KeySourceReader {
    static let refused = "tokens of this issuer are refused"

    /// - Returns: nil where there is none, which was reported.
    static func read(
        _ source: DocumentNode.Entry,
        _ algorithms: [SignatureAlgorithm],
        _ session: inout ReadingSession
    ) -> KeySet? {
        let name = "\"\(source.key)\""
        switch source.key {
        case "secret":
            guard let scalar = source.value.scalar else { return nil }
            return secret(Array(scalar.text.utf8), source, algorithms, &session)
        case "secret_file":
            guard var bytes = session.content(of: source.value, name: name) else { return nil }
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return secret(bytes, source, algorithms, &session)
        case "public_key_file":
            return file(source, &session) { bytes throws(KeySetError) in
                try KeySet(pem: bytes, algorithms: algorithms)
            }
        case "jwks_file":
            let keys = file(source, &session) { bytes throws(KeySetError) in try KeySet(jwks: bytes, origin: .file) }
            if let keys { checkFit(keys, algorithms, source, &session) }
            return keys
        case "discovery":
            session.findings.notInEffect(source.keyPlace, name, refused)
            return KeySet.empty
        default:
            checkURL(source, &session)
            return KeySet.empty
        }
    }

    private static func secret(
        _ bytes: [UInt8],
        _ source: DocumentNode.Entry,
        _ algorithms: [SignatureAlgorithm],
        _ session: inout ReadingSession
    ) -> KeySet? {
        let name = "\"\(source.key)\""
        let advice = "generate one with \"openssl rand -base64 48\""
        guard !bytes.isEmpty else {
            let variable = source.value.scalar?.variables.first.map { ", as \($0) is" } ?? ""
            session.findings.error(source.value.place, "\(name) is empty\(variable): \(advice)")
            return nil
        }
        for (algorithm, needed) in [(SignatureAlgorithm.hs512, 64), (.hs384, 48), (.hs256, 32)]
        where algorithms.contains(algorithm) && bytes.count < needed {
            session.findings.error(
                source.value.place,
                "\(name) has \(bytes.count) bytes, \(algorithm.rawValue) needs at least \(needed) "
                    + "(RFC 7518 section 3.2): \(advice)"
            )
            return nil
        }
        session.judgeExample(Secret(bytes), name: name, source.value.place)
        do throws(KeySetError) {
            return try KeySet(secret: bytes, algorithms: algorithms)
        } catch {
            session.findings.error(source.value.place, "\(name) cannot be used: \(error)")
            return nil
        }
    }

    private static func file(
        _ source: DocumentNode.Entry,
        _ session: inout ReadingSession,
        _ parse: ([UInt8]) throws(KeySetError) -> KeySet
    ) -> KeySet? {
        guard let bytes = session.content(of: source.value, name: "\"\(source.key)\"") else { return nil }
        do throws(KeySetError) {
            return try parse(bytes)
        } catch {
            let shown = source.value.shown
            session.findings.error(
                source.value.place,
                "\"\(source.key)\" has no key that can be used, \(shown): \(error)"
            )
            return nil
        }
    }

    private static func checkFit(
        _ keys: KeySet,
        _ algorithms: [SignatureAlgorithm],
        _ source: DocumentNode.Entry,
        _ session: inout ReadingSession
    ) {
        for algorithm in algorithms where !keys.keys.contains(where: { $0.algorithms.contains(algorithm) }) {
            session.findings.error(
                source.value.place,
                "\"\(source.key)\" has no key for \(algorithm.rawValue): leave the algorithm out, or add its key"
            )
        }
    }

    /// Keys that came over plain HTTP could be anybody's.
    private static func checkURL(_ source: DocumentNode.Entry, _ session: inout ReadingSession) {
        guard let scalar = source.value.scalar else { return }
        let isHTTPS = scalar.text.hasPrefix("https://")
        let authority = scalar.text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = try? NetworkText.hostPort(String(authority), defaultPort: 80, ports: 1...65_535)
        guard isHTTPS || (scalar.text.hasPrefix("http://") && host?.isLoopback == true) else {
            session.findings.error(
                source.value.place,
                "\"\(source.key)\" must be an https:// address (http:// only on loopback): change it"
            )
            return
        }
    }
}
