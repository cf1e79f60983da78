public import Verification

/// Which tenants the writer of a stored tenant may write. A writer who may not write all takes nothing from the others,
/// whether they are there when the tenant is written or come later: each reading checks it.
public enum TenantWriter: Sendable, Hashable {
    /// One who may do all, or a file's.
    case all
    /// One who may write the tenants whose names match one of the patterns.
    case limited(to: [TenantNamePattern])

    /// - Parameter scopes: Those of the admin token.
    public init(_ scopes: [AdminScope]) {
        var patterns: [TenantNamePattern] = []
        for scope in scopes {
            switch scope {
            case .all:
                self = .all
                return
            case .tenants(let pattern): patterns.append(pattern)
            case .read, .revoke: continue
            }
        }
        self = .limited(to: patterns)
    }

    /// Whether a tenant of this name, or a realm, may be the writer's.
    public func covers(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .limited(let patterns): patterns.contains { $0.matches(name) }
        }
    }

    // MARK: In the store

    private static let allText = "all"

    public var json: JSONValue {
        switch self {
        case .all: .string(Self.allText)
        case .limited(let patterns): .array(patterns.map { .string($0.description) })
        }
    }

    /// - Parameters:
    ///   - json: nil for a tenant of before writers were kept: nobody knows what its writer might write besides it.
    ///   - tenant: The name of the tenant.
    public init(json: JSONValue?, of tenant: String) {
        if json?.string == Self.allText {
            self = .all
        } else if let items = json?.array {
            self = .limited(to: items.compactMap(\.string).compactMap { TenantNamePattern($0) })
        } else {
            self = .limited(to: TenantNamePattern(tenant).map { [$0] } ?? [])
        }
    }
}
