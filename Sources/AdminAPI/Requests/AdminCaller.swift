import Tenants

/// How a client of the admin listener was authenticated.
enum AdminCaller: Sendable, Equatable {
    /// The one token that may do all.
    case token
    case named(String, [AdminScope])
    /// A client certificate with this subject (RFC 4514).
    case certificate(subject: String)
    /// There is no token, and the listener is on loopback.
    case loopback

    init(_ token: AdminToken) { self = .named(token.name, token.scopes) }

    /// For the audit.
    var text: String {
        switch self {
        case .token: "token"
        case .named(let name, _): "token \(name)"
        case .certificate(let subject): "certificate \(subject)"
        case .loopback: "loopback"
        }
    }

    var scopes: [AdminScope] {
        switch self {
        case .named(_, let scopes): scopes
        case .token, .certificate, .loopback: [.all]
        }
    }

    /// Whether one of the caller's scopes is one of `kinds`, or `all`.
    ///
    /// - Parameter tenant: The tenant that the request is about; nil if it is about none, or about all.
    func may(_ kinds: [AdminScope.Kind], tenant: String?) -> Bool {
        scopes.contains { scope in
            switch scope {
            case .all: true
            case .read, .revoke: kinds.contains(scope.kind)
            case .tenants(let pattern): kinds.contains(.tenants) && (tenant.map(pattern.matches) ?? true)
            }
        }
    }
}
