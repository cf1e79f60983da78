import ConfigurationText

/// Lays a tenant, or a template, over the template that it extends.
struct DocumentMerge {
    /// Keys up to which a map is searched from its first one.
    private static let longestSearch = 16

    let findings: Findings
    /// The template as messages name it, like `template "mobile"`.
    let base: String

    /// Maps are merged key by key; lists and single values are replaced. A key that is given as null takes the
    /// template's away. What only the template has is shared with it.
    ///
    /// - Parameter type: nil below an unknown key.
    func merge(_ own: DocumentNode, over base: DocumentNode, _ type: SchemaType?) -> DocumentNode {
        switch (own.content, base.content) {
        case (.map(let entries), .map(let below)):
            return DocumentNode(position: own.position, content: .map(merge(entries, over: below, type?.fitting(own))))
        case (.map, .list), (.map, .scalar), (.list, .map), (.list, .scalar), (.scalar, .map), (.scalar, .list):
            guard let type, type.hasShape(of: base), !type.hasShape(of: own) else { return own }
            let place = findings.place(of: base.position, from: own.position)
            findings.error(
                own.position,
                "this is \(own.kind), and in \(self.base) (\(place)) it is \(base.kind): write \(type.expectation)"
            )
            return DocumentNode(position: own.position, content: .unresolved)
        case (.null, _), (.scalar, _), (.list, _), (.map, _), (.unresolved, _):
            return own
        }
    }

    private func merge(
        _ own: [DocumentNode.Entry],
        over base: [DocumentNode.Entry],
        _ type: SchemaType?
    ) -> [DocumentNode.Entry] {
        let find = Self.finder(base)
        var known: Set<Int> = []
        var merged: [DocumentNode.Entry] = []
        merged.reserveCapacity(own.count + base.count)
        for var entry in own {
            guard let index = find(entry.key) else {
                merged.append(entry)
                continue
            }
            known.insert(index)
            if case .null = entry.value.content { continue }
            entry.value = merge(entry.value, over: base[index].value, type?.element(entry.key))
            merged.append(entry)
        }
        for index in base.indices where !known.contains(index) { merged.append(base[index]) }
        return merged
    }

    /// Where a key is in a map.
    private static func finder(_ entries: [DocumentNode.Entry]) -> (String) -> Int? {
        guard entries.count > longestSearch else { return { key in entries.firstIndex { $0.key == key } } }
        let indices = Dictionary(entries.indices.map { (entries[$0].key, $0) }) { first, _ in first }
        return { indices[$0] }
    }
}

extension SchemaType {
    /// The type of a value in a map; nil for an unknown key.
    func element(_ key: String) -> SchemaType? {
        switch self {
        case .object(let object), .partial(let object): object.key(key)?.type
        case .dictionary(_, let element, _): element
        case .anything: .anything
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .list,
            .either:
            nil
        }
    }
}
