import Verification

/// An identity provider that is known by name: its `iss`, where its keys are, and what its tokens look like.
///
/// Texts in braces, like `{domain}`, stand for a ``PresetArgument`` of the entry in tenants.yaml.
package struct ProviderPreset: Sendable, Equatable {
    enum KeySetPlace: Sendable, Equatable {
        /// A path below the issuer.
        case belowIssuer(String)
        case at(String)
    }

    /// Claims that tokens must have with one of some values: ID tokens and others for no API do not.
    struct Condition: Sendable, Equatable {
        var claim: String
        var values: [String]
        var allowsMissing = false
    }

    /// As tenants.yaml has it.
    package var name: String
    /// Each is an `iss`.
    var issuers: [String]
    var keySet: KeySetPlace
    var algorithms: [SignatureAlgorithm]
    /// What `audiences` are, for people: `aud` or the claim that is compared instead.
    package var audienceHint: String
    /// Those without their argument are left out, like places.
    var audiences: [String] = []
    /// Where its tokens have what the gateway goes by; fields that are not here are read as usual.
    var places: [ClaimMapping.Field: [String]] = [:]
    var conditions: [Condition] = []

    static func named(_ name: String) -> ProviderPreset? {
        all.first { $0.name == name }
    }

    /// What an entry may give, in the order of the table.
    var arguments: [PresetArgument] { Self.arguments(in: issuers + textsBesideIssuers) }

    /// Those that do nothing beside an `issuer`.
    var argumentsOfIssuerOnly: [PresetArgument] {
        let others = Self.arguments(in: textsBesideIssuers)
        return Self.arguments(in: issuers).filter { !others.contains($0) }
    }

    /// Whether the arguments in its `iss` give the audience too.
    package var knowsAudience: Bool {
        let given = Self.arguments(in: issuers)
        return !audiences.isEmpty && Self.arguments(in: audiences).allSatisfy(given.contains)
    }

    private var textsBesideIssuers: [String] {
        var texts = audiences + places.values.joined()
        if case .at(let address) = keySet { texts.append(address) }
        return texts
    }

    private static func arguments(in texts: [String]) -> [PresetArgument] {
        PresetArgument.allCases.filter { argument in texts.contains { argument.isIn($0) } }
    }
}

/// What a preset is told by a key of its entry in tenants.yaml.
enum PresetArgument: String, Sendable, CaseIterable {
    case domain, realm, tenant, pool, project, application, namespace

    var example: String {
        switch self {
        case .domain: "id.example.com"
        case .realm, .application: "shop"
        case .tenant: "aaaabbbb-0000-cccc-1111-dddd2222eeee"
        case .pool: "eu-central-1_Ab12Cd34E"
        case .project: "shop-4711"
        case .namespace: "https://shop.example.com"
        }
    }

    /// For the reference, with the presets that ask for it.
    var meaning: String {
        meaning(for: ProviderPreset.all.filter { $0.arguments.contains(self) }.map(\.name))
    }

    /// The same for `sign_in.providers`.
    var meaningForSignIn: String {
        meaning(for: SignInPreset.all.filter { $0.arguments.contains(self) }.map(\.name))
    }

    private func meaning(for presets: [String]) -> String {
        "For \(presets.map { "`\($0)`" }.joined(separator: ", ")): \(content)."
    }

    private var content: String {
        switch self {
        case .domain: "the provider's host, with a port if it needs one"
        case .realm: "the realm"
        case .tenant: "the directory's ID, a GUID"
        case .pool: "the ID of the user pool, which begins with its region"
        case .project: "the project's ID"
        case .application: "the slug of the application"
        case .namespace: "what the names of your own claims begin with; roles are in `NAMESPACE/roles`"
        }
    }

    /// What stands for it in the texts of a preset.
    private var variables: [String] {
        self == .pool ? [rawValue, "region"] : [rawValue]
    }

    /// By bytes: the schema is built with each start, and `contains` of texts took a quarter of a start's instructions.
    func isIn(_ template: String) -> Bool {
        let parts = template.utf8.split(separator: UInt8(ascii: "{"), omittingEmptySubsequences: false)
        return parts.dropFirst().contains { part in
            let name = Substring(part.prefix { $0 != UInt8(ascii: "}") })
            return variables.contains { $0 == name }
        }
    }

    /// The text with its arguments filled in; nil if one of them is missing.
    static func filled(_ template: String, with values: [PresetArgument: String]) -> String? {
        var text = template
        for argument in allCases where argument.isIn(template) {
            guard let value = values[argument] else { return nil }
            text = argument.filled(text, with: value)
        }
        return text
    }

    /// The text with the argument filled in.
    private func filled(_ template: String, with value: String) -> String {
        variables.reduce(template) { text, variable in
            // A pool's ID is its region, `_` and its name.
            let filling = variable == "region" ? String(value.prefix { $0 != "_" }) : value
            return text.replacing("{\(variable)}", with: filling)
        }
    }
}
