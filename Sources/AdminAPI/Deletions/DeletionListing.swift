public import AccountDeletion
public import Store

/// The deletions of accounts, for the admin API.
public protocol DeletionListing: Sendable {
    /// In the order of their IDs.
    ///
    /// - Parameter id: The last one of the previous page; nil for the first page.
    func deletions(after id: String?, limit: Int) async throws(StoreError) -> [Deletion]

    /// - Returns: nil if there is none with this ID, or no longer.
    func deletion(_ id: String) async throws(StoreError) -> Deletion?
}

extension DeletionService: DeletionListing {}
