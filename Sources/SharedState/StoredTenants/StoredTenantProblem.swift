public import Store

/// Why a stored tenant was not read or written.
public enum StoredTenantProblem: Error, Sendable, Equatable {
    /// There is none of this name.
    case unknown
    /// It is another version than expected.
    ///
    /// - current: Nil if there is none.
    case changed(current: StoredTenantHead?)
    /// It is there already.
    case exists(StoredTenantHead)
    /// A host is another stored tenant's.
    case routeTaken(route: String, by: String)
    /// The history does not have the version, or it is a deletion.
    case unknownVersion(Int)
    /// There are ``StoredTenants/limit`` already.
    case full
    /// Without `GATEHOUSE_KEY` nothing can be sealed.
    case noSealingKey
    case store(StoreError)
}
