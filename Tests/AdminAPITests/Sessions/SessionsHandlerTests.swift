import IdentityProvider
import Store
import Testing
import Time
import TokenSigning
import Verification

@testable import AdminAPI

/// The admin API's sessions, without HTTP.
struct SessionsHandlerTests {
    private let fixture: AdminFixture
    private let store: FailingSessions
    private let book: SessionService
    private let handler: SessionsHandler

    init() throws {
        let memory = MemoryStore()
        let fixture = try AdminFixture(memory)
        self.fixture = fixture
        let rules = IssuerRules(try #require(fixture.tenants[0].issuer), tenant: "app")
        book = SessionService(rules, store: memory, keys: fixture.keys, revocations: StoredRevocations(store: memory))
        store = FailingSessions(book)
        handler = SessionsHandler(
            live: .serving(fixture.tenants),
            sessions: { [store] index in index == 0 ? store : nil },
            now: { AdminFixture.now + 10 },
            logger: fixture.logger
        )
    }

    private func signIn(_ subject: String) async throws -> String {
        let opening = SessionOpening(subject: subject, device: "phone", address: "192.0.2.7", provider: "apple")
        return try await book.start(opening, at: AdminFixture.now).sessionID
    }

    private func end(_ body: String) async throws(AdminProblem) -> JSONObject {
        var entry = AuditEntry(.endSessions)
        return try await end(body, &entry)
    }

    private func end(_ body: String, _ entry: inout AuditEntry) async throws(AdminProblem) -> JSONObject {
        try await handler.end(Array(body.utf8), &entry)
    }

    private func ids(_ response: JSONObject, _ member: String = "sessions") -> [String] {
        (response[member]?.array ?? []).compactMap { $0.object?["session"]?.string }
    }

    @Test func sessionsAreListedByIDAndBySubject() async throws {
        let (one, other) = (try await signIn("alice"), try await signIn("alice"))
        _ = try await signIn("bob")
        let mine = try await handler.list(["tenant": "app", "subject": "alice"])
        #expect(Set(ids(mine)) == [one, other])
        let response = try await handler.list(["tenant": "app", "session": one])
        let session = try #require(response["sessions"]?.array?.first?.object)
        #expect(session["subject"] == "alice" && session["device"] == "phone" && session["provider"] == "apple")
        #expect(session["ip"] == "192.0.2.7")
        #expect(session["created_at"] == "2027-01-15T08:00:00.000Z")
        #expect(try await handler.list(["tenant": "app", "session": "none"]) == ["sessions": []])
        // It contains no credentials.
        #expect(session["claims"] == nil && session["token"] == nil)
    }

    @Test func singleSessionIsEnded() async throws {
        let (one, other) = (try await signIn("alice"), try await signIn("alice"))
        var entry = AuditEntry(.endSessions)
        #expect(ids(try await end(#"{"tenant":"app","session":"\#(one)"}"#, &entry), "ended") == [one])
        #expect(ids(try await handler.list(["tenant": "app", "subject": "alice"])) == [other])
        #expect(try await end(#"{"tenant":"app","session":"\#(one)"}"#) == ["ended": []])
        #expect(
            entry.metadata(result: "done") == [
                "count": "1", "id": "\(one)", "kind": "session", "tenant": "app", "result": "done",
            ]
        )
    }

    @Test func allSessionsOfASubjectAreEnded() async throws {
        let mine = [try await signIn("ali\nce"), try await signIn("ali\nce")]
        let other = try await signIn("bob")
        var entry = AuditEntry(.endSessions)
        #expect(Set(ids(try await end(#"{"tenant":"app","subject":"ali\nce"}"#, &entry), "ended")) == Set(mine))
        #expect(ids(try await handler.list(["tenant": "app", "subject": "bob"])) == [other])
        #expect(entry.metadata(result: "done")["id"] == #"ali\u000ace"#)
    }

    @Test(arguments: [
        (#"{"tenant":"app"}"#, AdminProblem.Code.badRequest),
        (#"{"tenant":"app","session":"a","subject":"b"}"#, .badRequest),
        (#"{"tenant":"app","session":""}"#, .badRequest), (#"{"tenant":"app","all":true}"#, .badRequest),
        (#"{"tenant":"plain","session":"a"}"#, .noIssuer), (#"{"tenant":"disk","session":"a"}"#, .noIssuer),
        (#"{"tenant":"nobody","session":"a"}"#, .unknownTenant),
    ])
    func impossibleRequestsAreReported(_ body: String, _ code: AdminProblem.Code) async {
        let problem = await fixture.problem { () async throws(AdminProblem) in try await end(body) }
        #expect(problem?.code == code)
    }

    @Test func listNeedsATenantAndOneSelector() async {
        let queries = [
            [:], ["tenant": "app"], ["subject": "a"], ["tenant": "app", "subject": "a", "session": "b"],
            ["tenant": "app", "subject": ""],
        ]
        for query in queries {
            let problem = await fixture.problem { () async throws(AdminProblem) in try await handler.list(query) }
            #expect(problem?.code == .badRequest, "\(query)")
        }
    }

    @Test func unreachableStoreIsReported() async throws {
        let one = try await signIn("alice")
        store.isAway = true
        let problem = await fixture.problem { () async throws(AdminProblem) in
            try await end(#"{"tenant":"app","session":"\#(one)"}"#)
        }
        #expect(problem?.code == .storeUnavailable)
        store.isAway = false
        #expect(ids(try await handler.list(["tenant": "app", "subject": "alice"])) == [one])
    }
}
