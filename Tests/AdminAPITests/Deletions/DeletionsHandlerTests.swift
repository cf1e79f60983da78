import Store
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import AdminAPI

/// The admin API's deletions of accounts, without HTTP.
struct DeletionsHandlerTests {
    /// Deletions in the order of their IDs, or a store that fails.
    private struct Listing: DeletionListing {
        var all: [Deletion] = []
        var fails = false

        func deletions(after id: String?, limit: Int) async throws(StoreError) -> [Deletion] {
            if fails { throw .unavailable("gone") }
            return Array(all.filter { id == nil || $0.id > id ?? "" }.prefix(limit))
        }

        func deletion(_ id: String) async throws(StoreError) -> Deletion? {
            if fails { throw .unavailable("gone") }
            return all.first { $0.id == id }
        }
    }

    private static let start = UnixTime(1_800_000_000)
    private static let first = String(repeating: "a", count: 22)
    private static let second = String(repeating: "b", count: 22)

    private static var waiting: Deletion {
        var deletion = Deletion(id: second, tenant: "app", scope: "tenant app", subject: "bob", at: start)
        let failure = DeletionFailure(.clientRefused, status: 400)
        deletion.record(.failed(failure), of: .apple, at: start, jitter: 1)
        return deletion
    }

    private static var ended: Deletion {
        var deletion = Deletion(id: first, tenant: "app", scope: "tenant app", subject: "alice", at: start)
        for step in Deletion.Step.order { deletion.record(.done, of: step, at: start, jitter: 1) }
        deletion.release(at: start)
        return deletion
    }

    private func handler(_ listing: Listing? = Listing(all: [ended, waiting])) throws -> DeletionsHandler {
        let fixture = try AdminFixture(MemoryStore())
        return DeletionsHandler(live: .serving(fixture.tenants), deletions: { listing }, logger: fixture.logger)
    }

    private func ids(_ response: JSONObject) -> [String] {
        (response["deletions"]?.array ?? []).compactMap { $0.object?["id"]?.string }
    }

    @Test(
        arguments: [
            ([:], [first, second]), (["state": "ended"], [first]), (["state": "pending"], [second]),
            (["subject": "bob"], [second]),
            (["tenant": "app", "subject": "carol"], []), (["cursor": first], [second]), (["limit": "1"], [first]),
        ] as [([String: String], [String])]
    )
    func deletionsAreFilteredAndPaged(_ query: [String: String], _ expected: [String]) async throws {
        let response = try await handler().list(query)
        #expect(ids(response) == expected)
        #expect((response["next"] != nil) == (query["limit"] != nil))
    }

    @Test func deletionShowsAttemptsErrorAndRemedy() async throws {
        let steps = try #require(try await handler().show(Self.second)["steps"]?.array).compactMap(\.object)
        let apple = try #require(steps.first { $0["step"] == "apple" })
        #expect(apple["state"] == "pending" && apple["attempts"] == 1)
        let error = try #require(apple["last_error"]?.object)
        #expect(error["reason"] == "client_refused" && error["status"] == 400)
        #expect(error["remedy"]?.string?.hasPrefix("check the client ID") ?? false)
    }

    @Test(arguments: [
        ["state": "done"], ["limit": "0"], ["limit": "1001"], ["limit": "-1"], ["limit": ""], ["subject": ""],
        ["cursor": ""],
    ])
    func badQueryIsRefused(_ query: [String: String]) async throws {
        let error = await #expect(throws: AdminProblem.self) { try await handler().list(query) }
        #expect(error?.code == .badRequest)
    }

    @Test func unknownTenantAndDeletionAreNotFound() async throws {
        let tenant = await #expect(throws: AdminProblem.self) { try await handler().list(["tenant": "other"]) }
        #expect(tenant?.code == .unknownTenant)
        let unknown = String(repeating: "c", count: 22)
        let deletion = await #expect(throws: AdminProblem.self) { try await handler().show(unknown) }
        #expect(deletion?.code == .notFound)
    }

    @Test(arguments: ["", "a", "{id}", "aaaaaaaaaaaaaaaaaaaaa/"])
    func textThatIsNoIDIsABadRequest(_ id: String) async throws {
        let error = await #expect(throws: AdminProblem.self) { try await handler().show(id) }
        #expect(error?.code == .badRequest)
    }

    @Test func gatewayWithoutDeletionsHasNone() async throws {
        #expect(try await handler(nil).list([:]) == ["deletions": []])
        await #expect(throws: AdminProblem.self) { try await handler(nil).show(Self.first) }
    }

    @Test func failingStoreIs503() async throws {
        let error = await #expect(throws: AdminProblem.self) { try await handler(Listing(fails: true)).list([:]) }
        #expect(error?.code == .storeUnavailable)
    }
}
