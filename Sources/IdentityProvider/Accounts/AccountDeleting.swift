public import Store
public import Verification

/// Deletes accounts for their owners; made by a module above this one.
public protocol AccountDeleting: Sendable {
    /// Begins the deletion of a subject's account, or finds the one that has begun. When this returns, it is as durable
    /// as the store, and unless the store has failed since, the account is gone and its sessions have ended.
    ///
    /// - Parameter request: The ID of the request that asks for it.
    func delete(
        _ subject: String,
        ofTenant tenant: String,
        by request: String
    ) async throws(StoreError) -> DeletionReceipt

    /// Of the latest deletion of a subject; nil if there is none.
    func latestReceipt(ofSubject subject: String, tenant: String) async throws(StoreError) -> DeletionReceipt?

    /// - Returns: Nil if there is none with this ID at the tenant, or no longer.
    func receipt(_ id: String, ofTenant tenant: String) async throws(StoreError) -> DeletionReceipt?
}

/// What the owner of a deleted account is told.
public struct DeletionReceipt: Sendable {
    /// Whoever has it may read the receipt.
    public let id: String
    public let subject: String
    /// Without subject and tenant.
    public let json: JSONObject

    public init(id: String, subject: String, json: JSONObject) {
        self.id = id
        self.subject = subject
        self.json = json
    }
}
