/// One app behind the gateway: its hosts, backends, token rules and policy, which ``TenantSettings`` lists.
///
/// Configurations of ten thousand tenants are compared, put together and put into force: their settings are behind one
/// reference, so that a copy costs no more than that reference. A change copies the settings.
@dynamicMemberLookup
public struct Tenant: Sendable, Equatable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let settings: TenantSettings

        init(_ settings: TenantSettings) { self.settings = settings }
    }

    @usableFromInline private(set) var box: Box

    public init(_ settings: TenantSettings) { box = Box(settings) }

    @inlinable public subscript<Value>(dynamicMember path: KeyPath<TenantSettings, Value>) -> Value {
        box.settings[keyPath: path]
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<TenantSettings, Value>) -> Value {
        @inlinable get { box.settings[keyPath: path] }
        set {
            var settings = box.settings
            settings[keyPath: path] = newValue
            box = Box(settings)
        }
    }

    /// Whether both are copies of one, which says at once that they are equal.
    func isIdentical(to other: Tenant) -> Bool { box === other.box }

    public static func == (left: Tenant, right: Tenant) -> Bool {
        left.box === right.box || left.box.settings == right.box.settings
    }

    public enum Mode: String, Sendable, CaseIterable {
        /// Refusals are enforced.
        case enforce
        /// Refusals are logged and counted, and requests go on: for migrations.
        case observe
    }
}
