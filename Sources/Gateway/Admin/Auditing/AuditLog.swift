import Logging
import NIOCore

/// Writes a line for each change that somebody asked for through the admin API: who, what, for which tenant, with what
/// result. The lines are notices, and are written whatever level is asked for.
struct AuditLog: Sendable {
    private let logger: Logger

    init(_ logger: Logger) {
        var logger = logger.of(.audit)
        logger.logLevel = min(logger.logLevel, .notice)
        self.logger = logger
    }

    /// Runs `change` and tells what came of it.
    ///
    /// - Parameter change: Completes the entry.
    func of<Answer>(
        _ action: AuditEntry.Action,
        _ context: AdminContext,
        _ change: (inout AuditEntry) async throws -> Answer
    ) async throws -> Answer {
        var entry = AuditEntry(action)
        do {
            let answer = try await change(&entry)
            if !entry.isRehearsal { write(entry, action.done, result: "done", context) }
            return answer
        } catch {
            let code = (error as? AdminProblem)?.code ?? .internalError
            if !entry.isRehearsal { write(entry, action.notDone, result: code.rawValue, context) }
            throw error
        }
    }

    private func write(_ entry: AuditEntry, _ message: Logger.Message, result: String, _ context: AdminContext) {
        var metadata = entry.metadata(result: result)
        metadata["by"] = "\(context.caller?.text ?? "nobody")"
        metadata["request_id"] = "\(context.requestID.text)"
        if let address = context.channel.remoteAddress?.ipAddress { metadata["from"] = "\(address)" }
        logger.notice(message, metadata: metadata)
    }
}
