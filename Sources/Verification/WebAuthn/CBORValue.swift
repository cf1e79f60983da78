/// A value of CBOR (RFC 8949) of the kinds that WebAuthn has.
enum CBORValue: Equatable {
    /// One member of a map, whose keys keep their order.
    struct Member: Equatable {
        var key: CBORValue
        var value: CBORValue
    }

    case unsigned(UInt64)
    /// The integer -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([Member])
    case bool(Bool)
    case null

    /// An integer; nil for other kinds, and beyond `Int`.
    var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        case .bytes, .text, .array, .map, .bool, .null: nil
        }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var array: [CBORValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// How many members a map has; 0 for other kinds.
    var memberCount: Int {
        if case .map(let members) = self { members.count } else { 0 }
    }

    /// The member of a map with this text for its key.
    subscript(_ key: String) -> CBORValue? { self[.text(key)] }

    /// The member of a map with this integer for its key, as COSE has them.
    subscript(_ key: Int) -> CBORValue? {
        self[key < 0 ? .negative(UInt64(-1 - key)) : .unsigned(UInt64(key))]
    }

    private subscript(_ key: CBORValue) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
