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
    ///
    /// - Returns: False if the account no longer has the login.
    func keep(
        _ transfer: AppleTransfer,
        of identity: Account.Identity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) -> Bool {
        guard let stored = try await records.account(subject), stored.record.has(identity) else { return false }
        let key = AppleTransferKey(transfer.subject)
        guard try await lead(key, to: subject, at: now, overridesOther: true) else { return false }
        let isKept = try await changeRecord(ofSubject: subject) { record in
            guard record.has(identity) else { return false }
            record.note(transfer, of: identity)
            return true
        }
        if !isKept { try await forget(key, ofSubject: subject) }
        return isKept
    }

    /// Puts the new team's identity in the place of the old one's.
    ///
    func move(
        _ transfer: AppleTransfer,
        to identity: ProviderIdentity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountProblem) -> AppleMove {
        guard let stored = try await records.account(subject), stored.record.isFound(by: transfer.subject) else {
            return .loginGone
        }
        guard try await lead(identity.key, to: subject, at: now) else { return .taken }
        let isMoved = try await changeRecord(ofSubject: subject) { record in
            guard record.isFound(by: transfer.subject) else { return false }
            record.move(transfer.subject, to: identity.key)
            record.update(with: identity, givenName: nil, at: nil)
            return true
        }
        guard isMoved else {
            try await forget(identity.key, ofSubject: subject)
            return .loginGone
        }
        if let address = linkedAddress(identity) { try await link(address, to: subject, at: now) }
        return .done
    }

    /// Makes what finds an account point to it.
    ///
    /// - Parameter overridesOther: Whether it may be taken from another account.
    /// - Returns: False if it points to another account.
    private func lead(
        _ source: some AccountPointing,
        to subject: String,
        at now: UnixTime,
        overridesOther: Bool = false
    ) async throws(AccountProblem) -> Bool {
        for _ in 0..<Self.mostTries {
            let pointer = try await records.pointer(of: source)
            if let pointer {
                if pointer.subject.utf8.elementsEqual(subject.utf8) { return true }
                guard overridesOther else { return false }
            }
            if try await records.point(source, to: subject, insteadOf: pointer, at: now) { return true }
        }
        throw overtaken()
    }

    /// The account that an identity without one gets from its owner's former team: only if the account agrees, since a login
    /// that was unlinked must not get back in.
    func transferredSubject(_ identity: ProviderIdentity) async throws(AccountProblem) -> String? {
        guard let transferSubject = identity.transferSubject,
            let pointer = try await records.pointer(of: AppleTransferKey(transferSubject)),
            let stored = try await records.account(pointer.subject), stored.record.isFound(by: transferSubject)
        else { return nil }
        return pointer.subject
    }

    /// Changes an account.
    ///
    /// - Parameter change: Returns false if there is nothing to change.
    /// - Returns: Whether it was changed.
    private func changeRecord(
        ofSubject subject: String,
        _ change: (inout AccountRecord) -> Bool
    ) async throws(AccountProblem) -> Bool {
        for _ in 0..<Self.mostTries {
            guard let stored = try await records.account(subject) else { return false }
            var record = stored.record
            guard change(&record) else { return false }
            if try await records.replace(stored, with: record) { return true }
        }
        throw overtaken()
    }
}

/// What came of a login whose app has moved.
enum AppleMove: Sendable, Equatable {
    case done
    /// The new identity signs in to another account already, which it keeps.
    case taken
    /// The account has been deleted, or its owner has unlinked the login.
    case loginGone
}

/// A transfer identifier, which points to the account of its user.
struct AppleTransferKey: AccountPointing {
    let bytes: [UInt8]

    init(_ transferSubject: String) {
        bytes = Array(transferSubject.utf8)
    }

    var pointerKind: String { "account-apple-transfer" }
}
