/// The index of a server in ``Backend/servers``. A reload may give the same server another one.
@frozen
public struct ServerIndex: Sendable, Hashable, Strideable {
    public let value: Int

    @inlinable
    public init(_ value: Int) { self.value = value }

    @inlinable
    public static func == (left: ServerIndex, right: ServerIndex) -> Bool { left.value == right.value }

    @inlinable
    public static func < (left: ServerIndex, right: ServerIndex) -> Bool { left.value < right.value }

    @inlinable
    public func distance(to other: ServerIndex) -> Int { other.value - value }

    @inlinable
    public func advanced(by count: Int) -> ServerIndex { ServerIndex(value + count) }
}
