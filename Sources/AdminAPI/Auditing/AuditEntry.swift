import Logging
import Verification

/// A change that was asked for through the admin API, as the audit tells it. Holds nothing that lets anybody in.
struct AuditEntry: Sendable {
    enum Action: Sendable, CaseIterable {
        case revoke, withdraw, rotateKeys, endSessions, reload

        /// What is said of it when it was done.
        var done: Logger.Message {
            switch self {
            case .revoke: "revoked"
            case .withdraw: "revocation withdrawn"
            case .rotateKeys: "signing keys rotated"
            case .endSessions: "sessions ended"
            case .reload: "configuration reloaded"
            }
        }

        /// What is said of it when it was not done, or nobody knows whether it was.
        var notDone: Logger.Message {
            switch self {
            case .revoke: "not revoked"
            case .withdraw: "revocation not withdrawn"
            case .rotateKeys: "signing keys not rotated"
            case .endSessions: "sessions not ended"
            case .reload: "configuration not reloaded"
            }
        }
    }

    let action: Action
    /// As the request has it, whether there is one of this name or not.
    var tenant: String?
    /// Whether nothing was to be changed: only asked what a change would come to.
    var isRehearsal = false
    private(set) var details: Logger.Metadata = [:]

    init(_ action: Action) {
        self.action = action
    }

    /// - Parameter value: May come from a client.
    mutating func note(_ name: String, _ value: String) { details[name] = "\(Self.oneLine(value))" }

    mutating func note(_ name: String, _ value: Int) { details[name] = "\(value)" }

    /// What is logged.
    ///
    /// - Parameter result: `done`, or the code of the problem.
    func metadata(result: String) -> Logger.Metadata {
        var metadata = details
        metadata["result"] = "\(result)"
        if let tenant { metadata["tenant"] = "\(Self.oneLine(tenant))" }
        return metadata
    }

    /// Whoever chose a value could otherwise write lines of the log.
    private static func oneLine(_ text: String) -> String {
        String(decoding: JSONText.escaped(text), as: UTF8.self)
    }
}
