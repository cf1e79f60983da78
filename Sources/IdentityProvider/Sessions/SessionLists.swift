import Logging
import Store
import Time
import TokenSigning

/// The lists of a tenant's subjects in the store.
///
/// A session's record is written before its entry and removed before it. So an entry without a record belongs to an
/// ended session, and any reader may drop it. A crash in between leaves a session without an entry, whose tokens were
/// never sent, or an entry without a session: neither hides a live session.
struct SessionLists: Sendable {
    /// How often a change is retried after others got in first; each retry means that one of them made progress.
    private static let mostTries = 512

    let store: any Store
    let rules: IssuerRules
    let logger: Logger

    func read(_ subject: String) async throws(StoreError) -> SessionList {
        try await list(subject).list
    }

    /// - Returns: The result of the last call of `change`, whose list was stored.
    func change<Result>(
        _ subject: String,
        at now: UnixTime,
        _ change: (inout SessionList) -> Result
    ) async throws(StoreError) -> Result {
        for _ in 0..<Self.mostTries {
            let (before, bytes) = try await list(subject)
            var list = before
            list.removeAll(begunBefore: now - longest.secondsAsDouble)
            let result = change(&list)
            if list == before { return result }
            let isDone = try await store.replace(
                bytes,
                with: list.json,
                for: key(subject),
                lifetime: lifetime(of: list)
            )
            if isDone { return result }
        }
        throw .unavailable("\(key(subject)) changes too often to be updated")
    }

    /// An unreadable list does not prevent sign-ins: a new one replaces it.
    private func list(_ subject: String) async throws(StoreError) -> (list: SessionList, bytes: [UInt8]?) {
        guard let bytes = try await store.value(for: key(subject)) else { return (SessionList(), nil) }
        if let list = SessionList(json: bytes) { return (list, bytes) }
        logger.error("a list of sessions cannot be read: a new one replaces it", metadata: ["key": "\(key(subject))"])
        return (SessionList(), bytes)
    }

    /// Longer than any session in it. An empty list may expire at once.
    private func lifetime(of list: SessionList) -> Duration {
        list.entries.isEmpty ? .seconds(RefreshFamily.window) : longest
    }

    private var longest: Duration { rules.longestSession + .seconds(SessionService.clockDifference) }

    private func key(_ subject: String) -> StoreKey {
        StoreKey(tenant: rules.tenant, kind: "sessions", hashing: subject.utf8)
    }
}
