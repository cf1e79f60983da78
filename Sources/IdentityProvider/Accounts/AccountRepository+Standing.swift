extension AccountRepository {
    /// What is known of a subject.
    package enum Standing: Sendable {
        case unknown
        case known(Account)
        /// Its account was deleted not long ago.
        case deleted
    }

    package func standing(ofSubject subject: String) async throws(AccountProblem) -> Standing {
        switch try await records.find(subject) {
        case .none: .unknown
        case .account(let stored): .known(stored.record.account)
        case .deleted: .deleted
        }
    }
}
