import Store
import Time

/// A tenant's exchanges of ID tokens that work once, each under a hash of the signing input. The first writer's record is
/// final.
struct TokenExchangeRecords: Sendable {
    /// Seconds past its expiry for which a token is still accepted.
    private static let leeway = 60.0
    /// Seconds by which clocks may differ. The record must outlive the token on the slowest of them.
    private static let clockDifference = 60.0
    /// The shortest and the longest lifetime of a record, in seconds. Tokens live for minutes, or a day.
    private static let lifetimes = 120.0...(3650 * 86_400.0)

    let store: any Store
    let tenant: String

    /// - Returns: Nil for a token that was not exchanged yet.
    func read(_ token: CheckedIDToken) async throws(StoreError) -> TokenExchangeRecord? {
        guard let bytes = try await store.value(for: key(token)) else { return nil }
        guard let record = TokenExchangeRecord(json: bytes) else {
            throw .garbled("\(key(token)) is no exchange")
        }
        return record
    }

    /// - Returns: False if there is a record already, which stays.
    func add(
        _ record: TokenExchangeRecord,
        for token: CheckedIDToken,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let life = token.expiresAt + Self.leeway + Self.clockDifference - now
        let lifetime = min(max(life, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        return try await store.replace(nil, with: record.json, for: key(token), lifetime: .seconds(lifetime))
    }

    private func key(_ token: CheckedIDToken) -> StoreKey {
        let kind = token.identity.provider == .apple ? "apple-exchange" : "named-exchange"
        return StoreKey(tenant: tenant, kind: kind, hashing: token.signingInputSHA256)
    }
}
