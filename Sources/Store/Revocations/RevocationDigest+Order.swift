extension RevocationDigest {
    /// The order of records in pages.
    func isAfter(_ other: RevocationDigest) -> Bool { (other.high, other.low) < (high, low) }

    /// - Parameter cursor: The text of the last digest of the previous page; nil for the first page.
    /// - Returns: Nil for the first page.
    static func from(cursor: String?) throws(StoreError) -> RevocationDigest? {
        guard let cursor else { return nil }
        guard let digest = RevocationDigest(cursor) else {
            throw .garbled("the cursor is none that was given with a page")
        }
        return digest
    }
}
