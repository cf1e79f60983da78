import Crypto

/// The name of a value or a lease: `gatehouse:{tenant}:kind:name`, or `gatehouse:fleet:kind:name` for what belongs to no
/// tenant. The braces are Redis' hash tag: what belongs to a tenant stays together.
public struct StoreKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// - Parameters:
    ///   - tenant: Its name in tenants.yaml; nil for what all tenants share.
    ///   - kind: What is kept, like `key-set`.
    ///   - name: Which of them. Nothing that must not be seen: for that there is ``init(tenant:kind:hashing:)``.
    public init(tenant: String?, kind: String, name: String) {
        text = "gatehouse:\(tenant.map { "{\($0)}" } ?? "fleet"):\(kind):\(name)"
    }

    /// A key of which nobody can tell what it was made of: the SHA-256 of `content` takes its place.
    public init(tenant: String?, kind: String, hashing content: some Sequence<UInt8>) {
        let digest = SHA256.hash(data: Array(content))
        self.init(tenant: tenant, kind: kind, name: digest.hexadecimal)
    }

    public var description: String { text }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
