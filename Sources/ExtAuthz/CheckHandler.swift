/// Decides on the requests that Envoy queries.
public protocol CheckHandler: Sendable {
    /// Whether a peer's queries are answered.
    ///
    /// - Parameter peer: An IP address.
    func answers(_ peer: String) -> Bool

    /// - Parameters:
    ///   - peer: The IP address of the querying Envoy, for which ``answers(_:)`` was true.
    ///   - reply: Called once, on any thread.
    func decide(_ request: QueriedRequest, for peer: String, reply: @escaping @Sendable (CheckReply) -> Void)
}

/// A field of a head.
public struct AuthzField: Sendable, Equatable {
    public var name: [UInt8]
    public var value: [UInt8]

    public init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ name: String, _ value: String) {
        self.init(name: Array(name.utf8), value: Array(value.utf8))
    }
}
