/// An entry of `issuers` that names a provider by its preset.
package struct PresetEntry: Sendable, Equatable {
    package struct Argument: Sendable, Equatable {
        /// The key in tenants.yaml.
        package var key: String
        package var value: String
    }

    package var preset: String
    package var arguments: [Argument] = []
    /// Whether the preset gives the `iss` with these arguments; otherwise the entry needs `issuer`.
    package var knowsIssuer = true
    /// Whether the preset gives the keys; otherwise the entry needs a source of them.
    package var knowsKeys = true
    /// Those that the preset gives with these arguments.
    package var audiences: [String] = []

    package init(preset: String) {
        self.preset = preset
    }
}

extension ProviderPreset {
    /// What the `iss` of its tokens looks like, with the names of arguments in capitals.
    package var issuerExample: String {
        let parts = (issuers.first ?? "").split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            let name = part.prefix { $0 != "}" }
            return text + name.uppercased() + part.dropFirst(name.count + 1)
        }
    }

    /// The entry for tokens of an issuer.
    ///
    /// - Parameters:
    ///   - issuer: Their `iss`. Whether it ends with a slash is known to the preset, if arguments give it.
    ///   - audiences: One that stands for an argument, such as a project, becomes that.
    package func entry(issuer: String, audiences: [String]) -> PresetEntry {
        let given = issuers.lazy.compactMap { Self.arguments(of: issuer, in: $0) }.first
        var values = given ?? [:]
        if let template = self.audiences.first, self.audiences.count == 1, audiences.count == 1,
            let others = Self.arguments(of: audiences[0], in: template)
        {
            values.merge(others) { known, _ in known }
        }
        var entry = PresetEntry(preset: name)
        entry.arguments = arguments.compactMap { argument in
            values[argument].map { PresetEntry.Argument(key: argument.rawValue, value: $0) }
        }
        entry.knowsIssuer = given != nil
        if case .at = keySet { entry.knowsKeys = given != nil }
        let known = self.audiences.compactMap { PresetArgument.filled($0, with: values) }
        if known.count == self.audiences.count { entry.audiences = known }
        return entry
    }

    /// The arguments with which a text of the preset is this one; nil if there are none.
    private static func arguments(of text: String, in template: String) -> [PresetArgument: String]? {
        let text = text.hasSuffix("/") ? text.dropLast() : text[...]
        let template = template.hasSuffix("/") ? template.dropLast() : template[...]
        guard let variables = variables(in: text, by: template) else { return nil }
        var values: [PresetArgument: String] = [:]
        for argument in PresetArgument.allCases where argument.isIn(String(template)) {
            guard let value = variables[argument.rawValue], let checked = try? argument.checked(value) else {
                return nil
            }
            values[argument] = checked
        }
        return PresetArgument.filled(String(template), with: values) == String(text) ? values : nil
    }

    /// What stands in the text in the place of each variable.
    private static func variables(in text: Substring, by template: Substring) -> [String: String]? {
        let parts = template.split(separator: "{", omittingEmptySubsequences: false)
        guard let start = parts.first, text.hasPrefix(start) else { return nil }
        var rest = String(text.dropFirst(start.count))
        var values: [String: String] = [:]
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "}" }
            let literal = part.dropFirst(name.count + 1)
            guard let end = literal.isEmpty ? rest.endIndex : rest.range(of: String(literal))?.lowerBound else {
                return nil
            }
            values[String(name)] = String(rest[..<end])
            rest = String(rest[end...].dropFirst(literal.count))
        }
        return rest.isEmpty ? values : nil
    }
}
