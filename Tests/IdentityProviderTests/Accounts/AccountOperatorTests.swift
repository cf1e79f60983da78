import Store
import TestSupport
import Testing
import Verification

@testable import IdentityProvider

/// What operators change about accounts.
struct AccountOperatorTests {
    private static let start = AccountFixture.start

    private let store = MemoryStore.still
    private let repository: AccountRepository

    init() {
        repository = AccountFixture.repository(store)
    }

    private func add(_ name: String, to subject: String) async throws -> AccountPasskey {
        var authenticator = try PretendAuthenticator()
        authenticator.id = Array(name.utf8)
        let credential = try authenticator.registration().credential(PretendAuthenticator.expectation())
        let passkey = AccountPasskey(credential: credential, name: name, addedAt: Self.start)
        try await repository.add(passkey, toSubject: subject, at: Self.start)
        return passkey
    }

    @Test func onePasskeyIsRemovedAndFree() async throws {
        let account = try await repository.enter(AccountFixture.google())
        let (phone, key) = (try await add("Phone", to: account.subject), try await add("Key", to: account.subject))
        let result = try await repository.removePasskeys(phone.credential.id, ofSubject: account.subject)
        #expect(result.removed == [phone] && result.account.passkeys == [key])
        #expect(try await repository.account(ofSubject: account.subject)?.passkeys == [key])
        await #expect(throws: AccountChangeProblem.notThere) {
            try await repository.removePasskeys(phone.credential.id, ofSubject: account.subject)
        }
    }

    @Test func allPasskeysAreRemovedAtOnce() async throws {
        let account = try await repository.enter(AccountFixture.google())
        _ = try await add("Phone", to: account.subject)
        _ = try await add("Key", to: account.subject)
        let result = try await repository.removePasskeys(nil, ofSubject: account.subject)
        #expect(result.removed.map(\.name) == ["Phone", "Key"])
        #expect(result.account.passkeys.isEmpty && result.account.identities.count == 1)
        #expect(try await repository.removePasskeys(nil, ofSubject: account.subject).removed.isEmpty)
    }

    @Test func unknownAccountIsReported() async throws {
        await #expect(throws: AccountChangeProblem.notThere) {
            try await repository.removePasskeys(nil, ofSubject: "nobody")
        }
    }
}
