import Store
import Time

/// A tenant's sessions in the store, each under its `sid`.
///
/// A record is created once, changed only by compare-and-set, and removed permanently: a late change does not bring
/// back an ended session.
struct SessionRecords: Sendable {
    /// A session as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let session: IssuerSession
        /// Whether it may be missing in its subject's list: it began before there were lists.
        let isUnlisted: Bool
        fileprivate let bytes: [UInt8]
    }

    let store: any Store
    let tenant: String

    /// - Returns: Nil if there is none, or no longer.
    func read(_ id: String) async throws(StoreError) -> Stored? {
        guard let bytes = try await store.value(for: key(id)) else { return nil }
        guard let (session, version) = IssuerSession.read(bytes), session.id == id else {
            throw .garbled("\(key(id)) is no session")
        }
        return Stored(session: session, isUnlisted: version == .first, bytes: bytes)
    }

    /// Stores a new session.
    func add(_ session: IssuerSession, at now: UnixTime) async throws(StoreError) {
        try await store.set(session.json, for: key(session.id), lifetime: session.recordLifetime(at: now))
    }

    /// - Returns: Whether it is unchanged since it was read.
    func replace(_ stored: Stored, with session: IssuerSession, at now: UnixTime) async throws(StoreError) -> Bool {
        try await store.replace(
            stored.bytes,
            with: session.json,
            for: key(session.id),
            lifetime: session.recordLifetime(at: now)
        )
    }

    func remove(_ id: String) async throws(StoreError) {
        try await store.remove(key(id))
    }

    private func key(_ id: String) -> StoreKey { StoreKey(tenant: tenant, kind: "session", name: id) }
}

extension IssuerSession {
    /// A record outlives its session a little, since clocks differ.
    fileprivate func recordLifetime(at now: UnixTime) -> Duration {
        .seconds(max(0, expiresAt - now) + RefreshFamily.window)
    }
}
