import Foundation
import Store
import Verification

/// Refresh tokens of clients that never send theirs, sealed with `GATEHOUSE_KEY`.
///
/// There are two entries a session. One is written when the client signs in or refreshes by itself, by whoever sees
/// that; the other by refreshes, with the lease, and says which of the first it came from. So neither overwrites the
/// other: what was captured last counts until a refresh says that it has used it.
struct RefreshVault: Sendable {
    struct Reading: Sendable, Equatable {
        var refreshToken: [UInt8]
        /// Which captured token it is, or comes from.
        var origin: String?
        /// How many refreshes it is away from that.
        var generation: Double
    }

    /// Each write lets it begin anew.
    static let lifetime = Duration.seconds(90 * 86_400)

    let store: any Store
    let sealer: Sealer

    /// - Returns: Nil if there is none of this subject.
    func read(_ keys: RefreshKeys, _ principal: Principal) async throws(StoreError) -> Reading? {
        let captured = try await entry(keys.captured)
        let rotated = try await entry(keys.vault)
        if let captured, let origin = captured.origin, origin != rotated?.origin {
            return captured.reading(of: principal)
        }
        return rotated?.reading(of: principal)
    }

    /// Keeps what the client was given by the backend itself.
    func capture(_ refreshToken: [UInt8], _ keys: RefreshKeys, _ principal: Principal) async throws(StoreError) {
        let entry = VaultEntry(refreshToken: refreshToken, principal, origin: UUID().uuidString)
        try await store.setSealed(entry.json, for: keys.captured, lifetime: Self.lifetime, with: sealer)
    }

    /// Keeps what a refresh brought, if the lease is still held, unless the vault has something later by now: what
    /// could not be written for a while may be old.
    ///
    /// - Returns: Whether the vault has it, or something later.
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
        // Of two that came from different tokens the one counts whose token was captured last.
        guard let captured = try await readable(change.keys.captured)?.origin else { return false }
        return captured == rotated.origin
    }

    /// - Returns: Nil also for what no key opens: it is in nobody's way.
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

/// Names compare byte for byte; two spellings that look the same are two subjects.
public enum SameBytes {
    public static func are(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }
}
