/// What is logged, and how.
public struct LogSettings: Sendable, Equatable {
    /// From the least important to the most.
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    public enum Format: String, Sendable, CaseIterable {
        case json, text
    }

    public var level = Schema.log.level.standard
    /// Of the modules that have one of their own.
    public var levels: [LogModule: Level] = [:]
    public var format = Schema.log.format.standard
    public var access = Schema.log.access.standard
    /// Whether that line has the query.
    public var query = Schema.log.query.standard

    /// - Parameter module: Nil for what belongs to none.
    public func level(of module: LogModule?) -> Level {
        module.flatMap { levels[$0] } ?? level
    }
}

/// The parts of the gateway whose messages can be told apart. Each is logged under `gatehouse.` and its name.
public enum LogModule: String, Sendable, CaseIterable {
    case accounts, admin, audit, backends, clients, introspection, issuer, keys, limits, observe, refresh, revocations
    case signIn = "sign_in"
    case store, tls, tracing

    public var label: String { "gatehouse.\(rawValue)" }

    /// What it tells of.
    var meaning: String {
        switch self {
        case .accounts: "Accounts, and the hook that is asked about them."
        case .admin: "The admin listener."
        case .audit: "Changes that were made through the admin API; notices are always written."
        case .backends: "Servers: connections to them, and whether they are up."
        case .clients: "Clients' connections."
        case .introspection: "Questions about opaque tokens."
        case .issuer: "The tenants' own issuers: signing keys and sessions."
        case .keys: "Key sets and key files."
        case .limits: "Rate limits that instances share."
        case .observe: "Requests that would be refused."
        case .refresh: "Refreshes of sessions."
        case .revocations: "Revocations, and how they are followed."
        case .signIn: "Sign-ins, and the endpoints that are answered here."
        case .store: "The store."
        case .tls: "Certificates and handshakes."
        case .tracing: "How traces are sent."
        }
    }
}

/// Where traces go, and of how many requests.
public struct TracingSettings: Sendable, Equatable {
    /// Where an OTLP/HTTP collector takes traces: the whole address.
    public var endpoint: String
    /// The share of requests that are traced, from 0 to 1, of those of which nobody has decided before.
    public var sample: Double
}
