import ConfigurationText

/// A bearer token of the admin API that may do a part of it.
public struct AdminToken: Sendable, Equatable {
    /// For the audit. No two tokens have the same.
    public var name: String
    public var token: Secret
    /// Not empty.
    public var scopes: [AdminScope]

    public init(name: String, token: Secret, scopes: [AdminScope]) {
        self.name = name
        self.token = token
        self.scopes = scopes
    }
}

/// What an admin token may do.
public enum AdminScope: Sendable, Equatable, CustomStringConvertible {
    /// See the gateway's state, without secrets.
    case read
    /// Revoke, withdraw and list revocations, and end sessions.
    case revoke
    /// Read and write the tenants whose names match.
    case tenants(TenantNamePattern)
    case all

    /// The scopes without their patterns, as endpoints need them.
    public enum Kind: String, Sendable, CaseIterable {
        case read, revoke, tenants, all
    }

    public var kind: Kind {
        switch self {
        case .read: .read
        case .revoke: .revoke
        case .tenants: .tenants
        case .all: .all
        }
    }

    private static let prefix = "tenants:"

    /// - Parameter text: As in `allow`.
    init(_ text: String) throws(Remedy) {
        switch text {
        case "read": self = .read
        case "revoke": self = .revoke
        case "all": self = .all
        default:
            guard text.hasPrefix(Self.prefix) || text == "tenants" else {
                let known = ["read", "revoke", "all"]
                if let nearest = EditDistance.nearest(to: text, among: known) {
                    throw Remedy("did you mean \"\(nearest)\"?")
                }
                throw Remedy("the scopes are read, revoke, tenants:PATTERN and all")
            }
            guard let pattern = TenantNamePattern(String(text.dropFirst(Self.prefix.count))) else {
                throw Remedy("name tenants like tenants:shop or tenants:shop-*")
            }
            self = .tenants(pattern)
        }
    }

    public var description: String {
        switch self {
        case .read, .revoke, .all: kind.rawValue
        case .tenants(let pattern): Self.prefix + pattern.description
        }
    }
}
