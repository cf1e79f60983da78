import ConfigurationText

/// A value of a template that a tenant gets without being able to see it: a secret, a variable of the environment or the
/// content of a file.
///
/// Who writes a tenant over such a template can have a secret sent to another server, or sign with a key of other tenants.
struct GuardedValue: Sendable {
    /// What it is, as messages name it.
    var kind: String
    /// Its keys, like `introspection.client_secret`.
    var key: String
    var position: Position

    /// - Parameter type: nil below an unknown key.
    /// - Returns: The first in the order of the text; nil if there is none.
    static func first(in node: DocumentNode, _ type: SchemaType?, at key: String = "") -> GuardedValue? {
        let type = type?.fitting(node)
        switch node.content {
        case .null: return nil
        // A variable that is not set, which was reported.
        case .unresolved: return GuardedValue(kind: variable, key: key, position: node.position)
        case .scalar(let scalar):
            return kind(of: scalar, type).map { GuardedValue(kind: $0, key: key, position: node.position) }
        case .list(let items):
            let element = type?.item
            for (index, item) in items.enumerated() {
                if let found = first(in: item, element, at: "\(key)[\(index)]") { return found }
            }
            return nil
        case .map(let entries):
            for entry in entries {
                let below = key.isEmpty ? entry.key : "\(key).\(entry.key)"
                if let found = first(in: entry.value, type?.element(entry.key), at: below) { return found }
            }
            return nil
        }
    }

    private static let variable = "a variable of the environment"

    private static func kind(of scalar: DocumentNode.Scalar, _ type: SchemaType?) -> String? {
        if !scalar.variables.isEmpty { return variable }
        guard let type else { return nil }
        if case .path = type { return "a file" }
        return type.isSecret(scalar.text) ? "a secret" : nil
    }
}

extension SchemaType {
    /// The type of a list's items; nil if it is none.
    fileprivate var item: SchemaType? {
        switch self {
        case .list(let element, _, _): element
        case .anything: .anything
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .object,
            .partial, .dictionary, .either:
            nil
        }
    }
}
