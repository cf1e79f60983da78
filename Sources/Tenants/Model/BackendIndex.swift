/// The index of a backend in ``TenantSettings/backends``. A reload may give the same backend another one.
@frozen
public struct BackendIndex: Sendable, Hashable {
    public let value: Int

    @inlinable
    public init(_ value: Int) { self.value = value }
}

/// An array with an element for each backend of a tenant.
extension Array {
    @inlinable
    public subscript(backend: BackendIndex) -> Element {
        get { self[backend.value] }
        // Changes the element in place: a setter would copy it.
        _modify { yield &self[backend.value] }
    }

    /// The index of each element.
    @inlinable
    public var backendIndices: [BackendIndex] { indices.map(BackendIndex.init) }
}
