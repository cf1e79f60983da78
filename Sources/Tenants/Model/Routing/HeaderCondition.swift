/// A field that a request must have.
public struct HeaderCondition: Sendable, Equatable {
    /// In lower case.
    public let name: [UInt8]
    /// What the value must be, byte for byte; nil: any value.
    public let value: String?

    /// - Parameter value: `*` stands for any value.
    public init(name: String, value: String) {
        self.name = Array(name.lowercased().utf8)
        self.value = value == "*" ? nil : value
    }
}
