/// The members of a JSON object in their order, no name twice.
///
/// Names are compared byte for byte: Swift's `==` on strings treats canonically equivalent names as equal.
public struct JSONObject: Sendable, Equatable {
    public struct Member: Sendable, Equatable {
        public let name: String
        public var value: JSONValue
    }

    public private(set) var members: [Member]

    public init() {
        members = []
    }

    /// Takes members whose names are known to differ.
    init(distinct members: [Member]) {
        self.members = members
    }

    /// The value of the member called `name`; setting nil removes it, setting a new name appends.
    public subscript(name: String) -> JSONValue? {
        get {
            for member in members where member.name.hasSameBytes(as: name) { return member.value }
            return nil
        }
        set {
            let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension String {
    /// Whether both are the same bytes of UTF-8. `==` also equates U+212A
    /// KELVIN SIGN with "K", which no identifier may.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (bytes, others) = (utf8.span, other.utf8.span)
        for index in bytes.indices where bytes[index] != others[index] { return false }
        return true
    }
}
