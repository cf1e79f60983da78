import Store
import Time

/// A tenant's sessions in the store, each under its `sid`.
///
/// A record is made once, changed only where it is still as it was read, and removed for good: a change that comes late
/// brings back no session that was ended.
struct SessionRecords: Sendable {
    /// A session as it was read, with the bytes that have to be there still for it to be changed.
    struct Stored: Sendable {
        let session: IssuerSession
        /// Whether it may be missing in its subject's list: it began when there was none.
        let isUnlisted: Bool
        fileprivate let bytes: [UInt8]
    }

    private let store: any Store
    private let tenant: String

    init(_ store: any Store, tenant: String) {
        self.store = store
        self.tenant = tenant
    }

    /// - Returns: Nil where there is none, or not any more.
    func read(_ id: String) async throws(StoreError) -> Stored? {
        guard let bytes = try await store.value(for: key(id)) else { return nil }
        guard let (session, version) = IssuerSession.read(bytes), session.id == id else {
            throw .garbled("\(key(id)) is no session")
        }
        return Stored(session: session, isUnlisted: version == .first, bytes: bytes)
    }

    /// Keeps a new session.
    func add(_ session: IssuerSession, at now: UnixTime) async throws(StoreError) {
        try await store.set(session.json, for: key(session.id), lifetime: session.recordLifetime(at: now))
    }

    /// - Returns: Whether nobody else changed or ended it since it was read.
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
