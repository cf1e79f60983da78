import ConfigurationText

/// Finds the secrets in one tenant's keys by the schema: values of secret keys, and URLs with a password or a query.
struct TenantSecrets {
    /// A place where a placeholder stands, and there is no value that it could stand for.
    struct Unknown: Equatable {
        var position: Position
        var message: String
    }

    /// What a placeholder stands for, by its place.
    private(set) var values: [Position: String] = [:]
    private(set) var unknown: [Unknown] = []
    private let placeholder: String

    init(placeholder: String) {
        self.placeholder = placeholder
    }

    /// The places of all secrets that are not empty.
    static func positions(in node: DocumentNode, _ type: SchemaType) -> [Position] {
        switch (type.fitting(node), node.content) {
        case (.object(let object), .map(let entries)):
            entries.flatMap { entry in object.key(entry.key).map { positions(in: entry.value, $0.type) } ?? [] }
        case (.dictionary(_, let element, _), .map(let entries)):
            entries.flatMap { positions(in: $0.value, element) }
        case (.list(let element, _, _), .list(let items)):
            items.flatMap { positions(in: $0, element) }
        case (let type, .scalar(let scalar)):
            type.isSecret(scalar.text) ? [node.position] : []
        case (.secret, .unresolved): [node.position]
        default: []
        }
    }

    /// Looks for the value of each placeholder in `node` at the same key of `old`.
    ///
    /// The items of a list have no key: one is the same as an old one if all but its secrets is, or else if it has the same
    /// name, and no other has.
    mutating func find(in node: DocumentNode, _ old: DocumentNode?, _ type: SchemaType) {
        switch (type.fitting(node), node.content) {
        case (.object(let object), .map(let entries)):
            for entry in entries {
                guard let key = object.key(entry.key) else { continue }
                find(in: entry.value, old?[named: entry.key], key.type)
            }
        case (.dictionary(_, let element, _), .map(let entries)):
            for entry in entries { find(in: entry.value, old?[named: entry.key], element) }
        case (.list(let element, _, _), .list(let items)):
            for item in items where has(placeholderIn: item) {
                find(in: item, same(as: item, in: old?.items ?? [], element), element)
            }
        case (let type, .scalar(let scalar)) where scalar.text == placeholder:
            guard type.mayBeSecret else { return }
            if let value = old?.scalar?.text, !value.isEmpty {
                values[node.position] = value
            } else {
                let message =
                    "\(placeholder) keeps the secret that was here, but there was none: write the secret itself"
                unknown.append(Unknown(position: node.position, message: message))
            }
        default: break
        }
    }

    private func has(placeholderIn node: DocumentNode) -> Bool {
        switch node.content {
        case .scalar(let scalar): scalar.text == placeholder
        case .list(let items): items.contains(where: has)
        case .map(let entries): entries.contains { has(placeholderIn: $0.value) }
        case .null, .unresolved: false
        }
    }

    private func same(as item: DocumentNode, in old: [DocumentNode], _ type: SchemaType) -> DocumentNode? {
        let equal = old.filter { isSame(item, $0, type) }
        if let first = equal.first { return equal.count == 1 ? first : nil }
        guard let name = Self.name(of: item) else { return nil }
        let named = old.filter { Self.name(of: $0).map { $0 == name } ?? false }
        return named.count == 1 ? named.first : nil
    }

    /// By which people tell the items of lists apart.
    private static let names = ["name", "id", "issuer", "domain", "client_id", "url"]

    private static func name(of item: DocumentNode) -> [String]? {
        for key in names {
            if let text = item[named: key]?.scalar?.text { return [key, text] }
        }
        return nil
    }

    /// Whether two values are the same but for secrets that one leaves out.
    private func isSame(_ new: DocumentNode, _ old: DocumentNode, _ type: SchemaType) -> Bool {
        switch (type.fitting(new), new.content, old.content) {
        case (let type, .scalar(let one), .scalar(let other)):
            one.text == other.text || (one.text == placeholder && type.mayBeSecret)
        case (.object(let object), .map(let one), .map(let other)):
            one.count == other.count
                && one.allSatisfy { entry in
                    guard let key = object.key(entry.key), let value = old[named: entry.key] else { return false }
                    return isSame(entry.value, value, key.type)
                }
        case (.dictionary(_, let element, _), .map(let one), .map(let other)):
            one.count == other.count
                && one.allSatisfy { entry in
                    old[named: entry.key].map { isSame(entry.value, $0, element) } ?? false
                }
        case (.list(let element, _, _), .list(let one), .list(let other)):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1, element) }
        case (_, .null, .null): true
        default: false
        }
    }
}
