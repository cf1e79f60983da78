import Logging
import NIOCore
import Synchronization
import Time

/// Logs each change that was requested through the admin API with caller, action, tenant and result, and refused access.
/// The lines are written whatever the configured level is.
final class AuditLog: Sendable {
    private let logger: Logger
    private let refusals = Mutex(RefusalLogLimiter())

    init(_ logger: Logger) {
        var logger = logger
        logger.logLevel = min(logger.logLevel, .notice)
        self.logger = logger
    }

    /// Runs `change` and logs its result.
    ///
    /// - Parameter change: Completes the entry.
    func of<Result>(
        _ action: AuditEntry.Action,
        _ context: AdminContext,
        _ change: (inout AuditEntry) async throws -> Result
    ) async throws -> Result {
        var entry = AuditEntry(action)
        do {
            let value = try await change(&entry)
            if !entry.isRehearsal { write(entry, action.done, result: "done", context) }
            return value
        } catch {
            let code = (error as? AdminProblem)?.code ?? .internalError
            if !entry.isRehearsal { write(entry, action.notDone, result: code.rawValue, context) }
            throw error
        }
    }

    /// Logs a wrong token, one that may not do what was asked, or a page of another site. Requests without a token are not logged: browsers start with one.
    func refused(_ problem: AdminProblem, _ context: AdminContext) {
        guard problem.code != .missingToken,
            let skipped = refusals.withLock({ $0.admit(at: Clock.monotonic()) })
        else { return }
        var metadata = origin(context)
        metadata["result"] = "\(problem.code.rawValue)"
        if let caller = context.caller { metadata["by"] = "\(caller.text)" }
        if skipped > 0 { metadata["passed_over"] = "\(skipped)" }
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
