public import ConfigurationText

/// A key of tenants.yaml that a reload has changed.
public struct KeyChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case added, removed, changed
    }

    /// From the root, like `tenants.shop.access[2].allow.roles`; items are counted from 0. An item that was removed has its
    /// previous index.
    public var key: String
    public var kind: Kind
    /// The value as tenants.yaml writes it; nil if there was none, and for sections, secrets and values of the environment.
    public var before: String?
    public var after: String?

    public init(key: String, kind: Kind, before: String? = nil, after: String? = nil) {
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
    }
}

/// The keys in which two configurations differ.
public struct KeyChanges: Sendable, Equatable {
    /// More are only counted.
    static let maximum = 200

    /// In the order of the schema.
    public private(set) var keys: [KeyChange] = []
    /// How many more there are.
    public private(set) var omitted = 0

    public init(_ keys: [KeyChange] = []) {
        for key in keys { add(key) }
    }

    /// Reads both anew: a tree of values takes many times the memory of the text.
    ///
    /// - Returns: No keys if one of them was not read from a file.
    public init(from old: ConfigurationDocument?, to new: ConfigurationDocument?) {
        self.init()
        guard let old, let new else { return }
        let differences = ConfigurationDocument.differences(old, new)
        guard differences.old != differences.new, let before = DocumentComposer.root(of: differences.old),
            let after = DocumentComposer.root(of: differences.new)
        else { return }
        var comparison = DocumentComparison()
        comparison.compare(before, after, .object(Schema.root.object), key: "")
        self = comparison.changes
    }

    mutating func add(_ change: KeyChange) {
        guard keys.count < Self.maximum else { return omitted += 1 }
        keys.append(change)
    }
}
