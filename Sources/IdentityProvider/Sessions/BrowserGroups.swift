import Store

/// What a browser begins at a tenant's issuer until it is signed out: everything begun in it names the group, and none
/// of it is left when the group has ended.
///
/// The record of the browser's first session there says of the whole group whether it goes on: it has that session, and
/// later, when the subject has signed in again with its cookie, ``moved``. With ``ended`` before either the group has
/// ended; the record is removed when all that was begun in it has ended too.
struct BrowserGroups: Sendable {
    /// A record as it is kept.
    struct Record: Sendable {
        let isLive: Bool
        /// The first session, sealed; nil if it goes on under another cookie.
        let session: [UInt8]?

        init(_ bytes: [UInt8]) {
            isLive = !bytes.starts(with: BrowserGroups.ended)
            let rest = isLive ? bytes : Array(bytes.dropFirst(BrowserGroups.ended.count))
            session = rest.starts(with: BrowserGroups.moved) ? nil : rest
        }
    }

    /// No sealed session begins like one of these, but for one in 2^48.
    private static let moved = Array("moved:".utf8)
    private static let ended = Array("ended:".utf8)
    private static let mostTries = 8

    let store: any Store
    let tenant: String

    /// - Parameter id: Of a session at the issuer; the first one's is that of its group.
    func key(_ id: String) -> StoreKey { StoreKey(tenant: tenant, kind: "single-sign-on", name: id) }

    /// Whether a group goes on: codes that were issued in one that has ended are void.
    func isLive(_ group: String) async throws(StoreError) -> Bool {
        try await store.value(for: key(group)).map { Record($0).isLive } ?? false
    }

    /// Lets a group go on under another cookie.
    ///
    /// - Returns: False if it has ended.
    func move(_ group: String, for lifetime: Duration) async throws(StoreError) -> Bool {
        try await change(group, lifetime: lifetime) { _ in Self.moved }
    }

    /// Lets a group go on for longer, under the cookies that it has.
    ///
    /// - Returns: False if it has ended.
    func extend(_ group: String, for lifetime: Duration) async throws(StoreError) -> Bool {
        try await change(group, lifetime: lifetime) { $0 }
    }

    /// Ends a group, known or not: no more is begun in it, and none of its codes is redeemed.
    func end(_ group: String) async throws(StoreError) {
        _ = try await change(group, lifetime: nil) { Self.ended + $0 }
    }

    /// - Parameter next: The record after the present one.
    /// - Returns: False if it has ended already, or is not there.
    private func change(
        _ group: String,
        lifetime: Duration?,
        to next: (_ present: [UInt8]) -> [UInt8]
    ) async throws(StoreError) -> Bool {
        for _ in 0..<Self.mostTries {
            guard let present = try await store.value(for: key(group)), Record(present).isLive else { return false }
            let record = next(present)
            if try await store.replace(present, with: record, for: key(group), lifetime: lifetime) { return true }
        }
        throw .unavailable("a single sign-on session of \(tenant) changes too often")
    }
}
