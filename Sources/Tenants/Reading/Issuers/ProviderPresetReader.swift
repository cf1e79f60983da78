import ConfigurationText
import Verification

/// Reads an issuer with the preset of an identity provider. What the entry gives itself replaces what the preset knows.
struct ProviderPresetReader {
    /// The entry of `issuers`.
    let node: DocumentNode
    let preset: ProviderPreset
    /// Another source of the keys than the provider's own address.
    let keySource: DocumentNode.Entry?
    private let arguments: PresetArguments

    init(node: DocumentNode, preset: ProviderPreset, keySource: DocumentNode.Entry?, _ session: ReadingSession) {
        self.node = node
        self.preset = preset
        self.keySource = keySource
        arguments = PresetArguments(node, of: preset, session)
    }

    /// - Returns: Several for a provider with several names; empty if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> [TrustedIssuer] {
        let audiences = node.read(Schema.trustedIssuer.audiences) ?? preset.audiences.compactMap(arguments.filled)
        if audiences.isEmpty { IssuerReader.warnOfAudience(node, session) }
        let reader = ClaimMappingReader(node: node)
        let mapping = reader.mapping(replacing: places, session)
        let conditions = reader.conditions(replacing: knownConditions, session)
        let names = issuers(session)
        guard let algorithms = algorithms(session), let names,
            let keys = keys(algorithms, issuer: names.first ?? "", session)
        else { return [] }
        IssuerReader.judgePlainHTTP(node, keys.source, session)
        return names.map { name in
            var issuer = TrustedIssuer(
                policy: IssuerPolicy(issuer: name, audiences: audiences, algorithms: algorithms, keys: keys.keys),
                source: keys.source
            )
            issuer.policy.mapping = mapping
            issuer.policy.conditions = conditions
            return issuer
        }
    }

    /// A place that needs an argument which is not given is left out.
    private var places: [ClaimMapping.Field: [ClaimPlace]] {
        preset.places.compactMapValues { texts in
            let places = texts.compactMap(arguments.filled).compactMap(ClaimPlace.init)
            return places.isEmpty ? nil : places
        }
    }

    private var knownConditions: [ClaimCondition] {
        preset.conditions.compactMap { condition in
            ClaimPlace(condition.claim).map {
                ClaimCondition($0, condition.values, allowsMissing: condition.allowsMissing)
            }
        }
    }

    private func issuers(_ session: ReadingSession) -> [String]? {
        if let given = node[Schema.trustedIssuer.issuer] {
            for argument in preset.argumentsOfIssuerOnly {
                guard let entry = node.entry(named: argument.rawValue) else { continue }
                session.at(entry).error("\"\(entry.key)\" is not looked at beside \"issuer\": leave it out")
            }
            return given.filled.map { [$0.text] }
        }
        let names = preset.issuers.compactMap { arguments.filled($0) }
        if names.count == preset.issuers.count { return names }
        _ = preset.issuers.first.flatMap { filled($0, or: Schema.trustedIssuer.issuer.name, session) }
        return nil
    }

    private func algorithms(_ session: ReadingSession) -> [SignatureAlgorithm]? {
        let kind = keySource.flatMap { KeySourceName(rawValue: $0.key) } ?? .keySetURL
        let reader = AlgorithmsReader(node: node)
        if node[Schema.trustedIssuer.algorithms] != nil { return reader.read(kind, session) }
        guard let keySource, let mismatch = reader.mismatch(preset.algorithms, kind) else { return preset.algorithms }
        return session.at(keySource).refuse("\(mismatch), by \"algorithms\"")
    }

    private func keys(
        _ algorithms: [SignatureAlgorithm],
        issuer: String,
        _ session: ReadingSession
    ) -> SourcedKeys? {
        if let keySource, let kind = KeySourceName(rawValue: keySource.key) {
            let address = node[Schema.trustedIssuer.issuer] ?? DocumentNode(issuer, at: node.position)
            return KeySourceReader.read(
                kind,
                keySource,
                algorithms,
                issuer: address,
                allowsPlainHTTP: allowsPlainHTTP,
                session
            )
        }
        guard let url = keySetURL(issuer, session) else { return nil }
        return KeySourceReader.remote(.keySet(url: url), at: url, allowsPlainHTTP)
    }

    private var allowsPlainHTTP: Bool { node.read(Schema.trustedIssuer.allowHTTP) }

    private func keySetURL(_ issuer: String, _ session: ReadingSession) -> String? {
        switch preset.keySet {
        case .at(let template): return filled(template, or: Schema.trustedIssuer.jwksURL.name, session)
        case .belowIssuer(let path):
            if let given = node[Schema.trustedIssuer.issuer] {
                let name = "with preset \(preset.name), \"issuer\""
                guard
                    ProviderURLReader.read(
                        given,
                        name: name,
                        allowsQuery: false,
                        allowsPlain: allowsPlainHTTP,
                        session
                    ) != nil
                else { return nil }
            }
            return issuer + (issuer.hasSuffix("/") ? "" : "/") + path
        }
    }

    private func filled(_ template: String, or key: String, _ session: ReadingSession) -> String? {
        arguments.filled(template, or: "\"\(key)\"") { fault in
            session.at(node[Schema.trustedIssuer.preset] ?? node).error("preset \(preset.name) \(fault)")
        }
    }
}

extension DocumentNode {
    /// A value that is not in the file.
    fileprivate init(_ text: String, at position: Position) {
        let scalar = Scalar(text: text, isPlain: false, isInterpolated: false, variables: [])
        self.init(position: position, content: .scalar(scalar))
    }
}
