import Logging
import Verification

/// The audit entry of a change that was requested through the admin API. Contains no credentials.
struct AuditEntry: Sendable {
    enum Action: Sendable, CaseIterable {
        case revoke, withdraw, rotateKeys, endSessions, removePasskeys, reload, putTenant, deleteTenant, rollBackTenant

        /// The message if it was done.
        var done: Logger.Message {
            switch self {
            case .revoke: "revoked"
            case .withdraw: "revocation withdrawn"
            case .rotateKeys: "signing keys rotated"
            case .endSessions: "sessions ended"
            case .removePasskeys: "passkeys removed"
            case .reload: "configuration reloaded"
            case .putTenant: "tenant stored"
            case .deleteTenant: "tenant deleted"
            case .rollBackTenant: "tenant rolled back"
            }
        }

        /// The message if it was not done, or if that is unknown.
        var notDone: Logger.Message {
            switch self {
            case .revoke: "not revoked"
            case .withdraw: "revocation not withdrawn"
            case .rotateKeys: "signing keys not rotated"
            case .endSessions: "sessions not ended"
            case .removePasskeys: "passkeys not removed"
            case .reload: "configuration not reloaded"
            case .putTenant: "tenant not stored"
            case .deleteTenant: "tenant not deleted"
            case .rollBackTenant: "tenant not rolled back"
            }
        }
    }

    let action: Action
    /// As in the request; there may be no such tenant.
    var tenant: String?
    /// Whether it was a dry run.
    var isRehearsal = false
    private(set) var details: Logger.Metadata = [:]

    init(_ action: Action) {
        self.action = action
    }

    /// - Parameter value: May come from a client.
    mutating func note(_ name: String, _ value: String) { details[name] = "\(Self.oneLine(value))" }

    mutating func note(_ name: String, _ value: Int) { details[name] = "\(value)" }

    /// The log metadata.
    ///
    /// - Parameter result: `done`, or the code of the problem.
    func metadata(result: String) -> Logger.Metadata {
        var metadata = details
        metadata["result"] = "\(result)"
        if let tenant { metadata["tenant"] = "\(Self.oneLine(tenant))" }
        return metadata
    }

    /// Escapes line breaks: a client could otherwise forge log lines.
    private static func oneLine(_ text: String) -> String {
        String(decoding: JSONText.escaped(text), as: UTF8.self)
    }
}
