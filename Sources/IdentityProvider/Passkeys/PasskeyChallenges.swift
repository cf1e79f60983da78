import Store
import Verification

/// The challenges for new passkeys, in the store: each is for one session, is used once, and expires. The challenge of
/// a sign-in is the sign-in's own.
struct PasskeyChallenges: Sendable {
    static let length = 32
    static let lifetime: Duration = .seconds(300)
    /// Replaces a used one.
    private static let used: [UInt8] = [0]

    let store: any Store
    let tenant: String

    /// - Returns: 256 random bits.
    func make(forSession sessionID: String) async throws(StoreError) -> [UInt8] {
        let challenge = RandomBytes.make(Self.length)
        try await store.set(Self.record(sessionID), for: key(challenge), lifetime: Self.lifetime)
        return challenge
    }

    /// Uses a challenge up: of all attempts, on any instance, one succeeds.
    ///
    /// - Returns: Whether it was this session's, and unused.
    func use(_ challenge: [UInt8], ofSession sessionID: String) async throws(StoreError) -> Bool {
        guard challenge.count == Self.length else { return false }
        return try await store.replace(Self.record(sessionID), with: Self.used, for: key(challenge))
    }

    private static func record(_ sessionID: String) -> [UInt8] { SHA256.digest(Array(sessionID.utf8)) }

    private func key(_ challenge: [UInt8]) -> StoreKey {
        StoreKey(tenant: tenant, kind: "passkey-challenge", hashing: challenge)
    }
}
