/// The settings of the log.
public struct LogSettings: Sendable, Equatable {
    /// From the least important to the most.
    public enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    public enum Format: String, Sendable, CaseIterable {
        case json, text
    }

    public var level = Schema.log.level.default
    /// For modules with a level of their own.
    public var levels: [LogModule: Level] = [:]
    public var format = Schema.log.format.default
    public var access = Schema.log.access.default
    /// Whether that line has the query.
    public var query = Schema.log.query.default

    /// - Parameter module: nil for messages of no module.
    public func level(of module: LogModule?) -> Level {
        module.flatMap { levels[$0] } ?? level
    }
}

/// The parts of the gateway that log. Each has the label `gatehouse.` and its name.
public enum LogModule: String, Sendable, CaseIterable {
    case accounts, admin, audit, backends, clients, events, introspection, issuer, keys, limits, observe, refresh,
        revocations
    case signIn = "sign_in"
    case store, tls, tracing

    public var label: String { "gatehouse.\(rawValue)" }

    /// For the reference.
    var meaning: String {
        switch self {
        case .accounts: "Accounts, and the hook that is asked about them."
        case .admin: "The admin listener."
        case .audit: "Changes that were made through the admin API; notices are always written."
        case .backends: "Servers: connections to them, and whether they are up."
        case .clients: "Clients' connections."
        case .events: "Events that are told to a webhook, and logouts that are told to clients."
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

/// The settings of traces.
public struct TracingSettings: Sendable, Equatable {
    /// The whole URL of an OTLP/HTTP collector for traces.
    public var endpoint: String
    /// The share of requests that are traced, from 0 to 1, among those without a sampling decision of the client.
    public var sample: Double
}
