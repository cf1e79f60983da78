import Logging
import Synchronization
import Time

/// Which servers cannot be reached, as all event loops know it together: each change is logged once, with its reason.
///
/// Consulted only where a connection was opened or could not be.
package final class ServerReachability: Sendable {
    /// Between two lines about one server: one that comes and goes must not fill the log.
    private static let pause: UInt64 = 10_000_000_000
    /// Servers of configurations that are gone are forgotten with all others at this number.
    private static let mostServers = 10_000

    private struct Entry {
        /// Nil: it can be reached.
        var problem: ConnectProblem?
        /// What the last line said.
        var told: ConnectProblem?
        /// When that was.
        var toldAt: MonotonicTime?

        /// Whether a line is due; then it counts as written.
        mutating func tells(at now: MonotonicTime) -> Bool {
            guard problem != told else { return false }
            if let toldAt, now < toldAt + ServerReachability.pause { return false }
            told = problem
            toldAt = now
            return true
        }
    }

    private let entries = Mutex<[String: Entry]>([:])
    /// Whether any server was unreachable, by the last that was heard or told of it.
    private let hasTrouble = Atomic(false)

    package init() {}

    /// What is wrong with a server; nil if it can be reached, or was not tried.
    package func problem(of server: String) -> ConnectProblem? {
        guard hasTrouble.load(ordering: .relaxed) else { return nil }
        return entries.withLock { $0[server]?.problem }
    }

    /// No connection to the server could be opened.
    func lost(_ server: String, _ problem: ConnectProblem, at now: MonotonicTime, _ logger: Logger) {
        let isDue = entries.withLock { entries in
            if entries.count >= Self.mostServers, entries[server] == nil { entries.removeAll() }
            entries[server, default: Entry()].problem = problem
            hasTrouble.store(true, ordering: .relaxed)
            return entries[server]?.tells(at: now) == true
        }
        guard isDue else { return }
        logger.warning("server cannot be reached", metadata: ["server": "\(server)", "reason": "\(problem)"])
    }

    /// A connection to the server was opened.
    func found(_ server: String, at now: MonotonicTime, _ logger: Logger) {
        guard hasTrouble.load(ordering: .relaxed) else { return }
        let isDue = entries.withLock { entries in
            guard entries[server] != nil else { return false }
            entries[server]?.problem = nil
            let isDue = entries[server]?.tells(at: now) == true
            if isDue, entries.values.allSatisfy({ $0.problem == nil && $0.told == nil }) {
                hasTrouble.store(false, ordering: .relaxed)
            }
            return isDue
        }
        if isDue { logger.notice("server can be reached again", metadata: ["server": "\(server)"]) }
    }
}
