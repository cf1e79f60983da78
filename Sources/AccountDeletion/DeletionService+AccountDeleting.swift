public import IdentityProvider
public import Store

extension DeletionService: AccountDeleting {
    public func delete(
        _ subject: String,
        ofTenant tenant: String,
        by request: String
    ) async throws(StoreError) -> DeletionReceipt {
        try await begin(subject, ofTenant: tenant, by: request).ownersReceipt
    }

    public func latestReceipt(ofSubject subject: String, tenant: String) async throws(StoreError) -> DeletionReceipt? {
        try await find(subject, ofTenant: tenant)?.ownersReceipt
    }

    public func receipt(_ id: String, ofTenant tenant: String) async throws(StoreError) -> DeletionReceipt? {
        try await deletion(id, ofTenant: tenant)?.ownersReceipt
    }
}

extension Deletion {
    fileprivate var ownersReceipt: DeletionReceipt { DeletionReceipt(id: id, subject: subject, json: receipt) }
}
