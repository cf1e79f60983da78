/// Entries by name that belong together and can be listed, such as the heads of the stored tenants. All tenants share it.
public struct StoreCollection: Sendable, Hashable {
    /// Letters and `-`.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}

/// One entry of a ``StoreCollection``.
public struct StoreEntry: Sendable, Hashable {
    public var name: String
    public var value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// One of the changes that ``Store/change(_:)`` carries out together.
public struct EntryChange: Sendable, Hashable {
    /// What must be there, so that anything is changed.
    public enum Condition: Sendable, Hashable {
        case none
        case absent
        case value([UInt8])
        /// There is none, or it has this value.
        case absentOrValue([UInt8])
    }

    public var collection: StoreCollection
    public var name: String
    public var condition: Condition
    /// Nil to remove the entry.
    public var value: [UInt8]?
    /// The maximum number of entries of the collection: one more is not added.
    public var most: Int?

    public init(
        _ collection: StoreCollection,
        _ name: String,
        if condition: Condition = .none,
        to value: [UInt8]?,
        most: Int? = nil
    ) {
        self.collection = collection
        self.name = name
        self.condition = condition
        self.value = value
        self.most = most
    }
}

/// The result of ``Store/change(_:)``.
public enum EntryChangeResult: Sendable, Hashable {
    /// All changes were made.
    case done
    /// Nothing was changed, since the condition of the change at this index does not hold.
    case unmet(Int)
    /// Nothing was changed, since the collection of the change at this index has its maximum of entries.
    case full(Int)
}

/// Bounds of collections.
public enum CollectionLimits {
    /// Maximum number of entries that one call reads.
    public static let page = 1000
}
