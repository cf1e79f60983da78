/// A tenant's place. It keeps it for the life of the process, whatever becomes of the order in the file (see
/// ``ConfigurationSnapshot``), and all else that is kept by tenant goes by it.
@frozen
public struct TenantIndex: Sendable, Hashable, Comparable {
    public let value: Int

    @inlinable
    public init(_ value: Int) { self.value = value }

    @inlinable
    public static func < (left: TenantIndex, right: TenantIndex) -> Bool { left.value < right.value }
}
