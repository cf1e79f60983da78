import ConfigurationText

extension SchemaType {
    /// The type's name in messages and references.
    var expectation: String {
        switch self {
        case .text, .secret: "text"
        case .path: "a path"
        case .url: "a URL"
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .duration: "a duration"
        case .size: "a size"
        case .rate: "a rate"
        case .choice(let choices): choices.count == 1 ? choices.joined() : "one of \(choices.joined(separator: ", "))"
        case .list: "a list"
        case .object, .partial, .dictionary: "a map"
        case .either(let types): types.map(\.expectation).joined(separator: " or ")
        case .anything: "a value"
        }
    }

    /// A value of the type in YAML, on one line.
    var example: String {
        switch self {
        case .text(let example), .path(let example), .url(let example), .duration(_, let example),
            .size(_, let example), .rate(_, let example):
            example
        case .secret: "\"${SECRET}\""
        case .boolean: "true"
        case .integer(let range): "\(range.lowerBound)"
        case .decimal(let range): "\(range.upperBound)"
        case .choice(let choices): choices.first ?? ""
        case .list(let element, _, _): "[\(element.example)]"
        case .object(let object), .partial(let object): object.example
        case .dictionary(let key, let element, _): "{ \(key): \(element.example) }"
        case .either(let types): types.first?.example ?? ""
        case .anything: "1"
        }
    }

    /// The example of a key with that default: the other boolean, or another choice.
    func example(besides default: String?) -> String {
        switch self {
        case .boolean where `default` == "true": "false"
        case .choice(let choices): choices.first { $0 != `default` } ?? ""
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .list, .object,
            .partial, .dictionary, .either, .anything:
            example
        }
    }

    /// The type with `text` as its example, if it has none.
    func exampled(by text: String) -> SchemaType {
        switch self {
        case .text(""): .text(example: text)
        case .url(""): .url(example: text)
        case .path(""): .path(example: text)
        case .duration(let range, ""): .duration(range, example: text)
        case .size(let range, ""): .size(range, example: text)
        case .rate(let range, ""): .rate(range, example: text)
        default: self
        }
    }

    /// Whether it is a map with keys below it.
    var isSection: Bool {
        switch self {
        case .object, .partial, .dictionary: true
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .list,
            .either, .anything:
            false
        }
    }

    /// Whether the value is a scalar, list or map as the type requires, whatever a scalar's text is.
    /// Whether it is a choice that has this word.
    func isChoice(of node: DocumentNode) -> Bool {
        guard case .choice(let choices) = self, let scalar = node.scalar else { return false }
        return choices.contains(scalar.text)
    }

    func hasShape(of node: DocumentNode) -> Bool {
        switch (self, node.content) {
        case (.anything, _): true
        case (.object, .map), (.partial, .map), (.dictionary, .map), (.list, .list): true
        case (.object, _), (.partial, _), (.dictionary, _), (.list, _): false
        case (.either(let types), _): types.contains { $0.hasShape(of: node) }
        case (_, .scalar): true
        case (_, .null), (_, .list), (_, .map), (_, .unresolved): false
        }
    }
}

extension SchemaObject {
    /// The keys that are required, or the first one.
    var example: String {
        let required = keys.filter(\.isRequired)
        let members = (required.isEmpty ? Array(keys.prefix(1)) : required).map { "\($0.name): \($0.example)" }
        return "{ \(members.joined(separator: ", ")) }"
    }
}

extension DocumentNode {
    /// Scalar, list or map, without the value itself.
    var kind: String {
        switch content {
        case .null: "nothing"
        case .list: "a list"
        case .map: "a map"
        case .scalar: "a single value"
        case .unresolved: "an unknown value"
        }
    }
}

extension Duration {
    /// In the largest unit that it is a whole number of, as tenants.yaml writes durations.
    package var shown: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        for (unit, length) in units where milliseconds >= length && milliseconds % length == 0 {
            return "\(milliseconds / length)\(unit)"
        }
        return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
    }
}
