/// The keys of one map of tenants.yaml, each a property. Readers use the properties and the schema is made of them, so
/// that both have the same keys.
protocol KeyTable: Sendable {}

extension KeyTable {
    var object: SchemaObject { SchemaObject(keys: keys) }

    /// In the order of the properties, including those of a nested table.
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
