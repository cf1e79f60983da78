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
        var logged: ConnectProblem?
        /// When that was.
        var loggedAt: MonotonicTime?

        /// Whether a line is due; then it counts as written.
        mutating func isDue(at now: MonotonicTime) -> Bool {
            guard problem != logged else { return false }
            if let loggedAt, now < loggedAt + ServerReachability.pause { return false }
            logged = problem
            loggedAt = now
            return true
        }
    }

    private let entries = Mutex<[String: Entry]>([:])
    /// Whether any server was unreachable, by what was last seen or logged of it.
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
            return entries[server]?.isDue(at: now) == true
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
            let isDue = entries[server]?.isDue(at: now) == true
            if isDue, entries.values.allSatisfy({ $0.problem == nil && $0.logged == nil }) {
                hasTrouble.store(false, ordering: .relaxed)
            }
            return isDue
        }
        if isDue { logger.notice("server can be reached again", metadata: ["server": "\(server)"]) }
    }
}
