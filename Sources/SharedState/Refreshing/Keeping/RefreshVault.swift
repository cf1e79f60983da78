import FoundationEssentials
import Store
import Verification

/// Refresh tokens that clients do not send, sealed with `GATEHOUSE_KEY`.
///
/// A session has two entries. The captured one is written, without a lease, by any instance that sees the backend issue
/// a refresh token. The rotated one is written by refreshes, under the lease, and names the captured token that it comes
/// from. So neither overwrites the other: a captured token counts until a rotated entry names it.
struct RefreshVault: Sendable {
    struct Reading: Sendable, Equatable {
        var refreshToken: [UInt8]
        /// Identifies the captured token that it is, or comes from.
        var origin: String?
        /// The number of refreshes since that.
        var generation: Double
    }

    /// Counted from the last write.
    static let lifetime = Duration.seconds(90 * 86_400)

    let store: any Store
    let sealer: Sealer

    /// - Returns: Nil if there is none for this subject.
    func read(_ keys: RefreshKeys, _ principal: Principal) async throws(StoreError) -> Reading? {
        let captured = try await entry(keys.captured)
        let rotated = try await entry(keys.vault)
        if let captured, let origin = captured.origin, origin != rotated?.origin {
            return captured.reading(of: principal)
        }
        return rotated?.reading(of: principal)
    }

    /// Stores a refresh token that the backend has issued to the client.
    func capture(_ refreshToken: [UInt8], _ keys: RefreshKeys, _ principal: Principal) async throws(StoreError) {
        let entry = VaultEntry(refreshToken: refreshToken, principal, origin: UUID().uuidString)
        try await store.setSealed(entry.json, for: keys.captured, lifetime: Self.lifetime, with: sealer)
    }

    /// Stores the refresh token of a refresh, if the lease is still held, unless the vault has a later one: the write may
    /// have been delayed.
    ///
    /// - Returns: Whether the vault has it, or a later one.
    func write(
        _ change: RefreshPublication.VaultChange,
        holding lease: Lease
    ) async throws(StoreError) -> Bool {
        if try await isLate(change) { return true }
        var entry = VaultEntry(refreshToken: change.refreshToken, change.principal, origin: change.origin)
        entry.generation = change.generation
        let sealed = try sealer.seal(entry.json, for: change.keys.vault)
        return try await store.set(sealed, for: change.keys.vault, lifetime: Self.lifetime, holding: lease)
    }

    private func isLate(_ change: RefreshPublication.VaultChange) async throws(StoreError) -> Bool {
        guard let rotated = try await readable(change.keys.vault) else { return false }
        if rotated.origin == change.origin { return rotated.generation >= change.generation }
        // Of two with different origins the one of the token that was captured last counts.
        guard let captured = try await readable(change.keys.captured)?.origin else { return false }
        return captured == rotated.origin
    }

    /// - Returns: Nil also for an entry that cannot be opened, which may be overwritten.
    private func readable(_ key: StoreKey) async throws(StoreError) -> VaultEntry? {
        do throws(StoreError) {
            return try await entry(key)
        } catch .sealBroken {
            return nil
        }
    }

    func remove(_ keys: RefreshKeys) async throws(StoreError) {
        try await store.remove(keys.captured)
        try await store.remove(keys.vault)
    }

    private func entry(_ key: StoreKey) async throws(StoreError) -> VaultEntry? {
        try await store.sealedValue(for: key, with: sealer).flatMap(VaultEntry.init)
    }
}

/// One sealed entry.
private struct VaultEntry {
    private static let version = 1.0

    var refreshToken: [UInt8]?
    var subject: String?
    var issuer: String
    var origin: String?
    var generation = 0.0

    init(refreshToken: [UInt8]?, _ principal: Principal, origin: String?) {
        self.refreshToken = refreshToken
        subject = principal.subject
        issuer = principal.issuer
        self.origin = origin
    }

    init?(_ json: [UInt8]) {
        guard let object = (try? JSONParser.parse(json))?.object, object["version"]?.double == Self.version,
            let issuer = object["issuer"]?.string
        else { return nil }
        refreshToken = object["refresh_token"]?.string.map { Array($0.utf8) }
        subject = object["subject"]?.string
        self.issuer = issuer
        origin = object["origin"]?.string
        generation = object["generation"]?.double ?? 0
    }

    var json: [UInt8] {
        var object: JSONObject = ["version": 1, "issuer": .string(issuer)]
        object["refresh_token"] = refreshToken.map { .string(String(decoding: $0, as: UTF8.self)) }
        object["subject"] = subject.map(JSONValue.string)
        object["origin"] = origin.map(JSONValue.string)
        object["generation"] = JSONNumber(generation).map(JSONValue.number)
        return JSONWriter.bytes(of: object)
    }

    func reading(of principal: Principal) -> RefreshVault.Reading? {
        guard let refreshToken, SameBytes.are(subject, principal.subject), SameBytes.are(issuer, principal.issuer)
        else {
            return nil
        }
        return RefreshVault.Reading(refreshToken: refreshToken, origin: origin, generation: generation)
    }
}

/// Compares names byte for byte: two spellings that look the same are two subjects.
public enum SameBytes {
    public static func are(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }
}
