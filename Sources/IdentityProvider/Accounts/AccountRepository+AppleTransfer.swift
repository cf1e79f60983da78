import Tenants
import Time

/// What Apple calls a user towards the team that an app moves to. It is the same for all apps of the two teams.
struct AppleTransfer: Sendable, Equatable {
    /// The recipient team.
    var team: String
    /// `transfer_sub`, in the recipient team's tokens too for 60 days.
    var subject: String
}

/// A login before its app moved to another team.
struct AppleFormerLogin: Sendable, Equatable {
    /// In the former team's tokens.
    var subject: String
    /// In the new team's, for 60 days.
    var transferSubject: String
}

/// Accounts whose owners Apple calls otherwise from a day on, since their app moved to another team.
///
/// The transfer identifier points to the account, and so finds it at the first sign-in after the move, whether or not Apple
/// was asked for the new identifier before. The old identity keeps pointing there too: tokens from before the move may still
/// be on their way.
extension AccountRepository {
    /// A page of all accounts of the realm, in no order; one may come twice.
    ///
    /// - Parameter cursor: `next` of the previous page; nil for the first.
    func page(
        after cursor: String?
    ) async throws(AccountProblem) -> (accounts: [AccountRecord], unreadable: Int, next: String?) {
        try await records.page(after: cursor)
    }

    /// Keeps what Apple calls a login towards another team. The pointer is written first, so that an account that has the
    /// identifier is always found by it.
    func keep(
        _ transfer: AppleTransfer,
        of identity: Account.Identity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) {
        let key = AppleTransferKey(transfer.subject)
        for _ in 0..<Self.mostTries {
            let pointer = try await records.pointer(of: key)
            if let pointer, pointer.subject.utf8.elementsEqual(subject.utf8) { break }
            if try await records.point(key, to: subject, insteadOf: pointer, at: now) { break }
        }
        try await changeRecord(ofSubject: subject) { $0.note(transfer, of: identity) }
    }

    /// Puts the new team's identity in the place of the old one's.
    ///
    /// - Returns: False if the new identity signs in to another account already, which it keeps.
    func move(
        _ transfer: AppleTransfer,
        to identity: ProviderIdentity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) -> Bool {
        for _ in 0..<Self.mostTries {
            if let pointer = try await records.pointer(of: identity.key) {
                guard pointer.subject.utf8.elementsEqual(subject.utf8) else { return false }
                break
            }
            if try await records.point(identity.key, to: subject, insteadOf: nil, at: now) { break }
        }
        try await changeRecord(ofSubject: subject) { record in
            record.move(transfer.subject, to: identity.key)
            record.update(with: identity, givenName: nil, at: nil)
        }
        if let address = linkedAddress(identity) { try await link(address, to: subject, at: now) }
        return true
    }

    /// The account that an identity without one gets from its owner's former team.
    func transferredSubject(_ identity: ProviderIdentity) async throws(AccountProblem) -> String? {
        guard let transferSubject = identity.transferSubject else { return nil }
        return try await records.pointer(of: AppleTransferKey(transferSubject))?.subject
    }

    /// Changes an account that there is.
    private func changeRecord(
        ofSubject subject: String,
        _ change: (inout AccountRecord) -> Void
    ) async throws(AccountProblem) {
        for _ in 0..<Self.mostTries {
            guard let stored = try await records.account(subject) else { return }
            var record = stored.record
            change(&record)
            if try await records.replace(stored, with: record) { return }
        }
        throw overtaken()
    }
}

/// A transfer identifier, which points to the account of its user.
struct AppleTransferKey: AccountPointing {
    let bytes: [UInt8]

    init(_ transferSubject: String) {
        bytes = Array(transferSubject.utf8)
    }

    var pointerKind: String { "account-apple-transfer" }
}
