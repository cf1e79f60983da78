import Store
import Time

/// Records of deleted accounts, under the keys of their accounts.
extension AccountRecords {
    /// What there is under a subject.
    enum Found: Sendable {
        case none
        case account(Stored)
        case deleted(StoredMark)
    }

    /// The mark of a deleted account as read, with the bytes to compare when it is changed.
    struct StoredMark: Sendable {
        let account: DeletedAccount
        fileprivate let bytes: [UInt8]
    }

    func find(_ subject: String) async throws(AccountProblem) -> Found {
        let key = key(ofAccount: subject)
        guard let bytes = try await value(key) else { return .none }
        if let record = AccountRecord(json: bytes), record.account.subject.utf8.elementsEqual(subject.utf8) {
            return .account(Stored(record: record, bytes: bytes))
        }
        guard let account = DeletedAccount(json: bytes), account.subject.utf8.elementsEqual(subject.utf8) else {
            throw garbled(key)
        }
        return .deleted(StoredMark(account: account, bytes: bytes))
    }

    /// - Parameter stored: Nil if there is none.
    /// - Returns: False if it was changed meanwhile.
    func mark(_ stored: Stored?, as account: DeletedAccount) async throws(AccountProblem) -> Bool {
        try await replace(stored?.bytes, with: account.json, key(ofAccount: account.subject), lifetime: nil)
    }

    /// - Returns: False if it was changed meanwhile.
    func mark(_ mark: StoredMark, as account: DeletedAccount) async throws(AccountProblem) -> Bool {
        try await replace(mark.bytes, with: account.json, key(ofAccount: account.subject), lifetime: nil)
    }

    func expire(_ mark: StoredMark, in lifetime: Duration) async throws(AccountProblem) {
        _ = try await replace(mark.bytes, with: mark.bytes, key(ofAccount: mark.account.subject), lifetime: lifetime)
    }
}
