import ConfigurationText

/// What an entry of `issuers` tells its preset.
struct PresetArguments {
    private var values: [PresetArgument: String] = [:]
    /// Those that are in the file but cannot be used, which was reported.
    private var unreadable: Set<PresetArgument> = []

    /// - Parameter preset: nil for an issuer without a preset of a provider, which has no arguments.
    init(_ node: DocumentNode, of preset: ProviderPreset?, _ session: ReadingSession) {
        self.init(node, preset: preset?.name, asking: preset?.arguments ?? [], session)
    }

    /// - Parameters:
    ///   - preset: Its name; nil for an entry without one.
    ///   - asked: What it asks for.
    init(_ node: DocumentNode, preset: String?, asking asked: [PresetArgument], _ session: ReadingSession) {
        for argument in PresetArgument.allCases {
            guard let entry = node.entry(named: argument.rawValue) else { continue }
            guard let preset else {
                session.at(entry).error("\"\(entry.key)\" is for a preset that asks for it: leave it out")
                continue
            }
            guard asked.contains(argument) else {
                session.at(entry).error("\"\(entry.key)\" is nothing that preset \(preset) asks for: leave it out")
                continue
            }
            unreadable.insert(argument)
            guard let scalar = entry.value.filled else { continue }
            let fault = "\"\(entry.key)\" must be \(argument.noun), but is \(scalar.shown)"
            guard let value = session.at(entry.value).value(of: try argument.checked(scalar.text), or: fault) else {
                continue
            }
            unreadable.remove(argument)
            values[argument] = value
        }
    }

    /// The text with its arguments filled in; nil if one of them is missing.
    func filled(_ template: String) -> String? { PresetArgument.filled(template, with: values) }

    /// As `filled(_:)`, for a text that is needed: a missing argument is reported, with its alternative.
    func filled(_ template: String, or alternative: String, _ report: (String) -> Void) -> String? {
        if let text = filled(template) { return text }
        for argument in PresetArgument.allCases
        where argument.isIn(template) && values[argument] == nil && !unreadable.contains(argument) {
            report(
                "lacks \"\(argument.rawValue)\": add \(argument.noun), like \(argument.example), or give \(alternative)"
            )
        }
        return nil
    }
}

extension PresetArgument {
    fileprivate var noun: String {
        switch self {
        case .domain: "the provider's host"
        case .realm: "the name of a realm"
        case .tenant: "the directory's ID"
        case .pool: "the ID of a user pool"
        case .project: "the ID of a project"
        case .application: "the slug of an application"
        case .namespace: "what the names of your claims begin with"
        }
    }

    /// - Returns: As it stands in `iss`.
    func checked(_ text: String) throws(Remedy) -> String {
        switch self {
        case .domain:
            guard !text.contains("/") else { throw Remedy("give the host alone, like \(example)") }
            _ = try NetworkText.hostPort(text, defaultPort: 443, ports: 1...65_535)
            return text.lowercased()
        case .tenant:
            let parts = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts.joined().allSatisfy(\.isHexDigit) else {
                throw Remedy(
                    "write the GUID, which is in \"iss\"; tokens of several directories need an issuer for each"
                )
            }
            return text.lowercased()
        case .pool:
            let parts = text.split(separator: "_", omittingEmptySubsequences: false)
            guard parts.count == 2,
                parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0.isLetterDigit(or: "-") } })
            else { throw Remedy("it has a region, \"_\" and a name, like \(example)") }
            return text
        case .realm, .project, .application:
            guard text.utf8.allSatisfy({ $0.isLetterDigit(or: "._-") }) else {
                throw Remedy("only letters, digits, \".\", \"_\" and \"-\" are known here; for others give \"issuer\"")
            }
            return text
        case .namespace:
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}
