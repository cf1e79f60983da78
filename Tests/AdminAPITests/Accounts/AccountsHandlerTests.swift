import Store
import Testing
import Time
import Verification

@testable import AdminAPI
@testable import IdentityProvider
@testable import Tenants

/// The admin API's accounts, without HTTP.
struct AccountsHandlerTests {
    private static let credential = PasskeyCredential(
        id: [1, 2, 3, 255],
        publicKey: [4],
        signatureCount: 7,
        isBackupEligible: false,
        isBackedUp: false,
        model: []
    )

    private let fixture: AdminFixture
    private let repository: AccountRepository
    private let failing: FailingAccounts
    private let handler: AccountsHandler

    init() throws {
        let fixture = try AdminFixture()
        self.fixture = fixture
        let repository = AccountRepository(AccountRules(), tenant: "app", store: MemoryStore())
        self.repository = repository
        let failing = FailingAccounts(repository)
        self.failing = failing
        handler = AccountsHandler(
            live: .serving(fixture.tenants),
            accounts: { index in index == 0 ? failing : nil },
            logger: fixture.logger
        )
    }

    private func signIn() async throws -> String {
        let identity = ProviderIdentity(provider: .google, subject: "g-1", email: "alice@example.org", name: "Alice")
        let account = try await repository.signIn(identity, givenName: nil, at: AdminFixture.now)
        let passkey = AccountPasskey(credential: Self.credential, name: "Phone", addedAt: AdminFixture.now)
        try await repository.add(passkey, toSubject: account.subject, at: AdminFixture.now)
        return account.subject
    }

    private func remove(_ subject: String, _ passkey: String?, tenant: String = "app") async throws(AdminProblem)
        -> JSONObject
    {
        var entry = AuditEntry(.removePasskeys)
        return try await handler.removePasskeys(tenant, subject, passkey, &entry)
    }

    @Test func accountIsShownWithoutKeysAndPersonalData() async throws {
        let subject = try await signIn()
        #expect(
            try await handler.account("app", subject) == [
                "subject": .string(subject), "created_at": "2027-01-15T08:00:00.000Z",
                "logins": [["provider": "google", "subject": "g-1"]],
                "passkeys": [
                    [
                        "id": "AQID_w", "name": "Phone", "added_at": "2027-01-15T08:00:00.000Z", "last_used_at": .null,
                        "count": 7, "is_shared": false,
                    ]
                ],
            ]
        )
    }

    @Test func passkeyIsRemovedAndAudited() async throws {
        let subject = try await signIn()
        var entry = AuditEntry(.removePasskeys)
        let result = try await handler.removePasskeys("app", subject, "AQID_w", &entry)
        #expect(result["removed"]?.array?.first?.object?["name"] == "Phone")
        #expect(result["account"]?.object?["passkeys"] == [])
        #expect(
            entry.metadata(result: "done") == [
                "subject": "\(subject)", "passkey": "AQID_w", "count": "1", "result": "done",
            ]
        )
        #expect(try await remove(subject, nil)["removed"] == [])
    }

    /// Subjects of account hooks may have any characters.
    @Test func subjectIsPercentDecoded() async throws {
        let problem = await fixture.problem { () async throws(AdminProblem) in
            try await handler.account("app", "a%2Fb%20c")
        }
        #expect(problem?.code == .unknownAccount)
        let subject = try await signIn()
        let encoded = subject.utf8.map { "%" + String($0, radix: 16) }.joined()
        #expect(try await handler.account("app", encoded)["subject"]?.string == subject)
    }

    @Test(
        arguments: [
            ("app", "%zz", nil, AdminProblem.Code.badRequest), ("app", "%ff", nil, .badRequest),
            ("app", "", nil, .badRequest), ("app", String(repeating: "a", count: 256), nil, .badRequest),
            ("app", "nobody", nil, .unknownAccount), ("app", "nobody", "AQID_w", .unknownPasskey),
            ("app", "nobody", "!", .badRequest), ("app", "nobody", "", .badRequest),
            ("plain", "nobody", nil, .noAccounts), ("none", "nobody", nil, .unknownTenant),
        ] as [(String, String, String?, AdminProblem.Code)]
    )
    func impossibleRequestsAreReported(_ tenant: String, _ subject: String, _ id: String?, _ code: AdminProblem.Code)
        async
    {
        let problem = await fixture.problem { () async throws(AdminProblem) in
            try await remove(subject, id, tenant: tenant)
        }
        #expect(problem?.code == code)
    }

    @Test func unreachableStoreIsReported() async throws {
        let subject = try await signIn()
        failing.isAway = true
        let asked = await fixture.problem { () async throws(AdminProblem) in
            try await handler.account("app", subject)
        }
        let removed = await fixture.problem { () async throws(AdminProblem) in try await remove(subject, nil) }
        #expect(asked?.code == .storeUnavailable && removed?.code == .storeUnavailable)
    }
}
