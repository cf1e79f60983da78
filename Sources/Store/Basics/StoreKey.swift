import Verification

/// The name of a value or a lease: `gatehouse:{tenant}:kind:name`, or `gatehouse:fleet:kind:name` if it belongs to no
/// tenant. The braces are Redis' hash tag: everything of a tenant stays together.
public struct StoreKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// - Parameters:
    ///   - tenant: Its name in tenants.yaml; nil for everything that all tenants share.
    ///   - kind: The kind of value, like `key-set`.
    ///   - name: Identifies it. Must not be secret: for that there is ``init(tenant:kind:hashing:)``.
    public init(tenant: String?, kind: String, name: String) {
        text = "gatehouse:\(tenant.map { "{\($0)}" } ?? "fleet"):\(kind):\(name)"
    }

    /// A key that does not reveal its content: it has the SHA-256 of `content` instead.
    public init(tenant: String?, kind: String, hashing content: some Sequence<UInt8>) {
        self.init(tenant: tenant, kind: kind, name: Hexadecimal.text(SHA256.digest(Array(content))))
    }

    /// - Parameter text: As the store has it.
    init(text: String) {
        self.text = text
    }

    public var description: String { text }
}
