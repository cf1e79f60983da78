import Store
import Verification

/// The providers' tokens of a realm's accounts in the store, each account's list under its subject, sealed with
/// `GATEHOUSE_KEY` and changed by compare-and-set.
struct ProviderGrantRecords: Sendable {
    /// How often a change is retried after others got in first.
    private static let mostTries = 64

    private let store: any Store
    private let sealer: Sealer
    private let scope: String
    private let kind: String

    /// - Parameter realm: Whose tenants share accounts; nil: the tenant has its own.
    init(_ store: any Store, sealer: Sealer, realm: String?, tenant: String) {
        self.store = store
        self.sealer = sealer
        scope = realm ?? tenant
        kind = realm == nil ? "account-grants" : "realm-account-grants"
    }

    func grants(ofSubject subject: String) async throws(StoreError) -> [ProviderGrant] {
        try await read(subject).list.grants
    }

    func change(
        _ subject: String,
        _ change: (inout ProviderGrantList) -> Void
    ) async throws(StoreError) {
        let key = key(subject)
        for _ in 0..<Self.mostTries {
            let (before, sealed) = try await read(subject)
            var list = before
            change(&list)
            if list == before { return }
            let bytes = try sealer.seal(list.json, for: key)
            // An empty one need not be kept; what is added to it then has to stay.
            let lifetime = list.grants.isEmpty ? Duration.seconds(60) : Self.lifetime
            if try await store.replace(sealed, with: bytes, for: key, lifetime: lifetime) { return }
        }
        throw .unavailable("\(key) changes too often to be updated")
    }

    /// A hundred years: a lifetime replaces an expiry, and none would keep it.
    private static let lifetime = Duration.seconds(36_500 * 86_400)

    private func read(_ subject: String) async throws(StoreError) -> (list: ProviderGrantList, sealed: [UInt8]?) {
        let key = key(subject)
        guard let sealed = try await store.value(for: key) else { return (ProviderGrantList(), nil) }
        guard let list = ProviderGrantList(json: try sealer.open(sealed, for: key).value) else {
            throw .garbled("\(key) is no list of tokens")
        }
        return (list, sealed)
    }

    private func key(_ subject: String) -> StoreKey { StoreKey(tenant: scope, kind: kind, hashing: subject.utf8) }
}
