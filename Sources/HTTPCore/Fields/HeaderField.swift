/// A header field that the gateway makes itself, as name and value: each protocol writes it in its own form.
public struct HeaderField: Sendable, Equatable {
    /// As written in HTTP/1.1; HTTP/2 writes it in lower case.
    public let name: String
    /// Without control characters and outer white space.
    public let value: [UInt8]

    public init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    public init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }

    public static let noStore = HeaderField("Cache-Control", "no-store")

    /// Whether the field has this name, in any case.
    public func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension Array<HeaderField> {
    /// Their length in HTTP/1.1, in bytes.
    @inlinable
    public var lineLength: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 4 } }
}
