import Logging
import NIOCore
import Synchronization
import Time

/// Writes a line for each change that somebody asked for through the admin API: who, what, for which tenant, with what
/// result; and for those who tried to get in and were not let in. The lines are written whatever level is asked for.
final class AuditLog: Sendable {
    private let logger: Logger
    private let refusals = Mutex(RefusalPace())

    /// - Parameter logger: That of the audit.
    init(_ logger: Logger) {
        var logger = logger
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

    /// A wrong token, or a page of another site: worth a look. Requests without any token are not, browsers begin so.
    func refused(_ problem: AdminProblem, _ context: AdminContext) {
        guard problem.code != .missingToken,
            let passedOver = refusals.withLock({ $0.tell(at: Clock.monotonic()) })
        else { return }
        var metadata = origin(context)
        metadata["result"] = "\(problem.code.rawValue)"
        if passedOver > 0 { metadata["passed_over"] = "\(passedOver)" }
        logger.warning("not let in", metadata: metadata)
    }

    private func write(_ entry: AuditEntry, _ message: Logger.Message, result: String, _ context: AdminContext) {
        var metadata = entry.metadata(result: result).merging(origin(context)) { $1 }
        metadata["by"] = "\(context.caller?.text ?? "nobody")"
        logger.notice(message, metadata: metadata)
    }

    private func origin(_ context: AdminContext) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["request_id": "\(context.requestID.text)"]
        if let address = context.channel.remoteAddress?.ipAddress { metadata["from"] = "\(address)" }
        return metadata
    }
}
