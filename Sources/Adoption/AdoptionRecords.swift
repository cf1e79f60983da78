import SharedState
import Store
import Tenants
import Time
import Verification

/// A tenant's records of former sessions in the store, each under a digest of its name, and changed by compare-and-set.
struct AdoptionRecords: Sendable {
    /// A record as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let record: AdoptionRecord
        let bytes: [UInt8]
    }

    let store: any Store
    /// The tenant's name.
    let tenant: String

    /// - Returns: Nil if there is none, or it has expired.
    func read(_ name: SessionName) async throws(StoreError) -> Stored? {
        let key = key(name)
        guard let bytes = try await store.value(for: key) else { return nil }
        guard let record = AdoptionRecord(json: bytes) else { throw .garbled("\(key) is no record of an adoption") }
        return Stored(record: record, bytes: bytes)
    }

    /// - Parameter bytes: Of the present record; nil if there is none.
    /// - Returns: Whether it was replaced: not if another instance was faster.
    func replace(
        _ bytes: [UInt8]?,
        with record: AdoptionRecord,
        _ name: SessionName,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await store.replace(
            bytes,
            with: record.json,
            for: key(name),
            lifetime: .seconds(record.lifetime(at: now))
        )
    }

    private func key(_ name: SessionName) -> StoreKey {
        StoreKey(tenant: tenant, kind: "adoption", name: Hexadecimal.text(name.digest))
    }
}
