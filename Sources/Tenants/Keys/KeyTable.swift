/// The keys of one map of tenants.yaml. Each is a property: readers read by these, and the schema is made of them, so
/// that no key is in the one and not in the other.
protocol KeyTable: Sendable {}

extension KeyTable {
    var object: SchemaObject { SchemaObject(keys: keys) }

    /// In the order of the properties, those of a table within this one among them.
    var keys: [SchemaKey] {
        Mirror(reflecting: self).children.flatMap { Self.keys(of: $0.value) }
    }

    private static func keys(of property: Any) -> [SchemaKey] {
        switch property {
        case let key as any DeclaredKey: return [key.schema]
        case let keys as [any DeclaredKey]: return keys.map(\.schema)
        case let table as any KeyTable: return table.keys
        default:
            assertionFailure("\(property) is no key of tenants.yaml")
            return []
        }
    }
}

/// A ``Key``, whatever its value.
private protocol DeclaredKey {
    var schema: SchemaKey { get }
}

extension Key: DeclaredKey {}
