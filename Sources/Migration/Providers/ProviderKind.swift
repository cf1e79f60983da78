package import Tenants

/// What `gatehouse init --provider` takes: a preset of tenants.yaml, or `oidc` for another provider.
package enum ProviderKind: Sendable, Equatable {
    case preset(ProviderPreset)
    case google, apple, oidc

    /// What the `iss` of its tokens looks like; nil if it is always the same.
    package var issuerExample: String? {
        switch self {
        case .preset(let preset): preset.issuerExample
        case .oidc: "https://id.example.com"
        case .google, .apple: nil
        }
    }

    /// What the audience of its tokens is.
    package var audienceHint: String {
        switch self {
        case .preset(let preset): preset.audienceHint
        case .google, .apple: "the client IDs of your apps"
        case .oidc: "the app that the tokens are for"
        }
    }

    /// The issuer as `authenticate.issuers` has it; nil if the `iss` or the audience is needed and missing.
    ///
    /// - Parameters:
    ///   - issuer: The `iss`; not used for a provider with a known one.
    ///   - algorithms: Empty for those that the provider signs with.
    package func issuer(_ issuer: String?, audiences: [String], algorithms: [String] = []) -> DraftIssuer? {
        let texts = audiences.map { DraftText(literal: $0) }
        let name = issuer.map { DraftText(literal: $0, remark: "the \"iss\" of its tokens, to the letter") }
        switch self {
        case .google, .apple:
            guard !audiences.isEmpty else { return nil }
            return DraftIssuer(audiences: texts, preset: PresetEntry(preset: rawValue))
        case .preset(let preset):
            guard let issuer else { return nil }
            return Self.issuer(
                name,
                preset.entry(issuer: issuer, audiences: audiences),
                texts,
                algorithms,
                audienceHint
            )
        case .oidc:
            guard let name, !audiences.isEmpty else { return nil }
            return DraftIssuer(
                issuer: name,
                audiences: texts,
                algorithms: algorithms.isEmpty ? ["RS256"] : algorithms,
                keys: .discovery,
                comments: ["The audience is \(audienceHint)."]
            )
        }
    }

    private static func issuer(
        _ name: DraftText?,
        _ entry: PresetEntry,
        _ audiences: [DraftText],
        _ algorithms: [String],
        _ audienceHint: String
    ) -> DraftIssuer? {
        let known = entry.audiences.map { DraftText(literal: $0) }
        guard let all = [audiences, known].first(where: { !$0.isEmpty }) else { return nil }
        var comments = ["Roles and what else is peculiar to the provider: docs/providers/\(entry.preset).md"]
        if all != known { comments.append("The audience is \(audienceHint).") }
        return DraftIssuer(
            issuer: name,
            audiences: all,
            algorithms: algorithms,
            preset: entry,
            keys: entry.knowsKeys ? nil : .discovery,
            comments: comments
        )
    }
}

extension ProviderKind: RawRepresentable, CaseIterable {
    package static let allCases: [ProviderKind] = ProviderPreset.all.map { .preset($0) } + [.google, .apple, .oidc]

    package init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    package var rawValue: String {
        switch self {
        case .preset(let preset): preset.name
        case .google: "google"
        case .apple: "apple"
        case .oidc: "oidc"
        }
    }
}
