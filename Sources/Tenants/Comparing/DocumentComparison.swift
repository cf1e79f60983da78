import ConfigurationText

/// Finds the keys in which two documents differ, by the types of the schema.
struct DocumentComparison {
    /// Characters of a value that are shown.
    private static let longestValue = 120

    private(set) var changes = KeyChanges()

    /// - Parameter key: The path of the value; empty for the root.
    mutating func compare(_ old: DocumentNode, _ new: DocumentNode, _ type: SchemaType, key: String) {
        switch (type.fitting(old), old.content, type.fitting(new), new.content) {
        case (.object(let object), .map, .object, .map), (.partial(let object), .map, .partial, .map):
            for member in object.keys {
                compare(old[named: member.name], new[named: member.name], member.type, key: key.below(member.name))
            }
        case (.dictionary(_, let element, _), .map(let before), .dictionary, .map(let after)):
            let (known, wanted) = (DocumentNode.table(before), DocumentNode.table(after))
            for entry in after {
                compare(known[entry.key], entry.value, element, key: key.below(entry.key))
            }
            for entry in before where wanted[entry.key] == nil {
                compare(entry.value, nil, element, key: key.below(entry.key))
            }
        case (.list(let element, _, _), .list(let before), .list, .list(let after))
        where (before + after).contains(where: { !$0.entries.isEmpty }):
            compare(before, after, element, key: key)
        default:
            guard !old.isSame(as: new) else { return }
            add(.changed, key, old, new, type)
        }
    }

    private mutating func compare(_ old: DocumentNode?, _ new: DocumentNode?, _ type: SchemaType, key: String) {
        switch (old, new) {
        case (let old?, let new?): compare(old, new, type, key: key)
        case (let old?, nil): add(.removed, key, old, nil, type)
        case (nil, let new?): add(.added, key, nil, new, type)
        case (nil, nil): break
        }
    }

    /// Lists of sections. What both begin and end with is left out, so that one item more does not change all after it.
    private mutating func compare(
        _ old: [DocumentNode],
        _ new: [DocumentNode],
        _ element: SchemaType,
        key: String
    ) {
        let start = zip(old, new).prefix { $0.isSame(as: $1) }.count
        let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0.isSame(as: $1) }.count
        let (before, after) = (start..<(old.count - end), start..<(new.count - end))
        if before.count == after.count {
            for index in after { compare(old[index], new[index], element, key: "\(key)[\(index)]") }
            return
        }
        for index in before { add(.removed, "\(key)[\(index)]", old[index], nil, element) }
        for index in after { add(.added, "\(key)[\(index)]", nil, new[index], element) }
    }

    private mutating func add(
        _ kind: KeyChange.Kind,
        _ key: String,
        _ old: DocumentNode?,
        _ new: DocumentNode?,
        _ type: SchemaType
    ) {
        let before = old.flatMap { Self.shown($0, type) }
        let after = new.flatMap { Self.shown($0, type) }
        changes.add(KeyChange(key: key, kind: kind, before: before, after: after))
    }

    /// The value in YAML; nil if it must not be shown, or is a section.
    private static func shown(_ node: DocumentNode, _ type: SchemaType) -> String? {
        switch type.fitting(node) {
        case .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .text, .url, .path:
            guard let scalar = node.scalar, scalar.variables.isEmpty, !scalar.mayHoldPassword else { return nil }
            return cut(EffectiveConfiguration.text(node, type))
        case .list(let element, _, _):
            let items = node.items.map { shown($0, element) }
            guard !items.contains(nil) else { return nil }
            return cut("[\(items.compactMap(\.self).joined(separator: ", "))]")
        case .secret, .object, .partial, .dictionary, .either, .anything: return nil
        }
    }

    private static func cut(_ text: String) -> String {
        text.count > longestValue ? text.prefix(longestValue) + "…" : text
    }
}

extension DocumentNode {
    fileprivate static func table(_ entries: [Entry]) -> [String: DocumentNode] {
        Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Whether both have the same values, wherever they stand and in whatever order their keys are.
    fileprivate func isSame(as other: DocumentNode) -> Bool {
        switch (content, other.content) {
        case (.null, .null): return true
        case (.scalar(let left), .scalar(let right)): return left.text == right.text
        case (.list(let left), .list(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.map(let left), .map(let right)):
            guard left.count == right.count else { return false }
            let known = Self.table(right)
            return left.allSatisfy { entry in known[entry.key].map { entry.value.isSame(as: $0) } ?? false }
        case (.null, _), (.scalar, _), (.list, _), (.map, _), (.unresolved, _): return false
        }
    }
}

extension DocumentNode.Scalar {
    fileprivate var mayHoldPassword: Bool { text.range(of: "://") != nil && text.contains("@") }
}

extension String {
    /// The path of a key below this one.
    fileprivate func below(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0.isLetterDigit(or: "_-") }
        let step = isPlain ? name : "\"\(name)\""
        return isEmpty ? step : "\(self).\(step)"
    }
}
