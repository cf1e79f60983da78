import Logging
import Synchronization

/// Logs unreadable entries of a store. They are skipped: failing because of one would make all others unavailable.
final class UnreadableLog: Sendable {
    /// The maximum number of digests in one log line.
    private static let named = 10

    private let logger: Logger
    private let lastChange = Mutex<String?>(nil)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter digests: Of unreadable records of one page.
    func found(_ digests: [String], tenant: String) {
        guard !digests.isEmpty else { return }
        logger.error(
            "the store has revocations that cannot be read; they are not in force, revoke anew what should be",
            metadata: [
                "tenant": "\(tenant)",
                "count": "\(digests.count)",
                "digests": "\(digests.prefix(Self.named).joined(separator: " "))",
            ]
        )
    }

    /// Logged once, for any number of readers.
    ///
    /// - Parameter id: The store's identifier of the change.
    func foundChange(_ id: String) {
        let isNew = lastChange.withLock { last in
            defer { last = id }
            return last != id
        }
        guard isNew else { return }
        logger.error(
            "the store's history has a change that cannot be read; all revocations are loaded again",
            metadata: ["change": "\(id)"]
        )
    }
}
