/// The index of a tenant, the same for the life of the process, whatever its position in the file (see
/// ``ConfigurationSnapshot``). Everything that is kept by tenant uses it.
@frozen
public struct TenantIndex: Sendable, Hashable, Comparable {
    public let value: Int

    @inlinable
    public init(_ value: Int) { self.value = value }

    @inlinable
    public static func < (left: TenantIndex, right: TenantIndex) -> Bool { left.value < right.value }
}
