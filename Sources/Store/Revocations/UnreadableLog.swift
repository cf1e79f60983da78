import Logging
import Synchronization

/// Says what is in a store and cannot be read. It is passed over: failing for its sake would leave everybody without
/// all the rest.
final class UnreadableLog: Sendable {
    /// Digests that one line of the log names at most.
    private static let named = 10

    private let logger: Logger
    private let lastChange = Mutex<String?>(nil)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter digests: Of the records of one page that cannot be read.
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

    /// Said once, however many readers come by.
    ///
    /// - Parameter id: What the store knows the change by.
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
