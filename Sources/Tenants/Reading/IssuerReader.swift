import Verification

/// Reads one entry of `authenticate.issuers`.
struct IssuerReader {
    static let sources = [
        "secret", "secret_file", "public_key_file", "jwks_file", "jwks_url", "discovery", "preset",
    ]
    private static let presetIssuers = ["apple": "https://appleid.apple.com", "google": "https://accounts.google.com"]

    let node: DocumentNode
    /// The tenant that it belongs to, for `preset: built-in`.
    let tenant: DocumentNode

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ session: inout ReadingSession) -> IssuerPolicy? {
        guard let source = keySource(&session) else { return nil }
        if source.key == "preset" { return readPreset(source.value, &session) }
        let algorithms = readAlgorithms(source, &session)
        let issuer = node["issuer"]
        if issuer == nil {
            session.findings.error(
                node.place,
                "this issuer lacks \"issuer\": add the \"iss\" of its tokens, to the letter"
            )
        }
        if node["audiences"] == nil { warnOfAudience(&session) }
        guard let algorithms, let name = issuer?.scalar?.text, !name.isEmpty else { return nil }
        guard let keys = KeySourceReader.read(source, algorithms, &session) else { return nil }
        return IssuerPolicy(issuer: name, audiences: node.texts("audiences") ?? [], algorithms: algorithms, keys: keys)
    }

    /// The one key that says where the issuer's keys are.
    private func keySource(_ session: inout ReadingSession) -> DocumentNode.Entry? {
        let given = node.entries.filter { entry in
            Self.sources.contains(entry.key) && (entry.key != "discovery" || node.boolean("discovery") != false)
        }
        let choices = Self.sources.joined(separator: ", ")
        guard let first = given.first else {
            session.findings.error(node.place, "this issuer has no keys: give one of \(choices)")
            return nil
        }
        guard given.count == 1 else {
            let second = given[1]
            session.findings.error(
                second.keyPlace,
                "this issuer has keys from \"\(first.key)\" and from \"\(second.key)\": keep exactly one of \(choices)"
            )
            return nil
        }
        return first
    }

    private func readAlgorithms(
        _ source: DocumentNode.Entry,
        _ session: inout ReadingSession
    ) -> [SignatureAlgorithm]? {
        guard let list = node["algorithms"] else {
            session.findings.error(
                node.place,
                "this issuer lacks \"algorithms\": name what its tokens are signed with, for example [RS256]"
            )
            return nil
        }
        var algorithms: [SignatureAlgorithm] = []
        for item in list.items {
            guard let algorithm = item.scalar.flatMap({ SignatureAlgorithm(rawValue: $0.text) }) else { continue }
            algorithms.append(algorithm)
        }
        guard !algorithms.isEmpty, algorithms.count == list.items.count else { return nil }
        return fits(algorithms, source, list.place, &session) ? algorithms : nil
    }

    /// A secret that verified an asymmetric algorithm, or a public key taken for a secret, would let anyone sign.
    private func fits(
        _ algorithms: [SignatureAlgorithm],
        _ source: DocumentNode.Entry,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> Bool {
        let symmetric = algorithms.filter(\.isSymmetric)
        guard symmetric.isEmpty || symmetric.count == algorithms.count else {
            session.findings.error(
                place,
                "HS algorithms need a secret, the others a public key: keep one kind"
            )
            return false
        }
        let isSymmetric = !symmetric.isEmpty
        switch source.key {
        case "secret", "secret_file":
            guard !isSymmetric else { return true }
            session.findings.error(
                place,
                "\(names(algorithms)) cannot be verified with a secret: use HS256, HS384 or HS512, or give a public key"
            )
            return false
        case "public_key_file", "jwks_url", "discovery":
            guard isSymmetric else { return true }
            session.findings.error(
                place,
                "\(names(algorithms)) needs a secret, but \"\(source.key)\" gives public keys: use RS256, ES256 or "
                    + "the like, or give \"secret\""
            )
            return false
        default: return true
        }
    }

    private func names(_ algorithms: [SignatureAlgorithm]) -> String {
        algorithms.map(\.rawValue).joined(separator: ", ")
    }

    private func warnOfAudience(_ session: inout ReadingSession) {
        session.findings.warning(
            node.place,
            "aud is not checked: a token that this issuer made for another app is good here; list \"audiences\""
        )
    }

    private func readPreset(_ value: DocumentNode, _ session: inout ReadingSession) -> IssuerPolicy? {
        guard let preset = value.scalar?.text else { return nil }
        var known = ["issuer", "algorithms"]
        if preset == "built-in" { known.append("audiences") }
        for key in known {
            guard let entry = node.entry(key) else { continue }
            session.findings.error(entry.keyPlace, "\"\(key)\" is known from the preset: leave it out")
        }
        if preset == "built-in" {
            return BuiltInIssuerReader.read(tenant.entry("issuer"), preset: value.place, &session)
        }
        guard let issuer = Self.presetIssuers[preset] else { return nil }
        if node["audiences"] == nil { warnOfAudience(&session) }
        session.findings.notInEffect(value.place, "the preset \"\(preset)\"", KeySourceReader.refused)
        return IssuerPolicy(
            issuer: issuer,
            audiences: node.texts("audiences") ?? [],
            algorithms: [.rs256],
            keys: KeySet.empty
        )
    }
}
