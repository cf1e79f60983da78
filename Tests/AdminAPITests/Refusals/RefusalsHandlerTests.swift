import Counting
import Tenants
import Testing
import Time
import Verification

@testable import AdminAPI

/// The last refusals, without HTTP.
struct RefusalsHandlerTests {
    private static func refusal(_ time: Double, path: String? = "/x", tenant: String? = "app") -> RecentRefusal {
        RecentRefusal(
            time: UnixTime(time),
            requestID: "id-\(time)",
            tenant: tenant,
            method: path == nil ? nil : "GET",
            path: path,
            isPathCut: false,
            status: 401,
            code: .missingToken,
            reason: "this path needs a token and none was sent",
            isObserved: false,
            client: "192.0.2.1"
        )
    }

    private func handler(_ refusals: [RecentRefusal]) throws -> RefusalsHandler {
        RefusalsHandler(live: .serving(try AdminFixture().tenants)) { name in
            refusals.filter { name == nil || $0.tenant == name }
        }
    }

    @Test func newestIsFirstWithAllMembers() async throws {
        let handler = try handler([Self.refusal(1_800_000_000), Self.refusal(1_800_000_001, path: nil, tenant: nil)])
        let list = try #require(try await handler.list(tenant: nil)["refusals"]?.array)
        #expect(
            list[1] == [
                "at": "2027-01-15T08:00:00.000Z", "request_id": "id-1800000000.0", "tenant": "app", "method": "GET",
                "path": "/x", "path_cut": false, "status": 401, "code": "missing_token", "title": "A token is needed",
                "reason": "this path needs a token and none was sent", "observed": false, "client": "192.0.2.1",
            ]
        )
        let unread = list[0].object
        #expect(unread?["tenant"] == .null && unread?["method"] == .null && unread?["path"] == .null)
    }

    @Test func onlyTheLatestAreListed() async throws {
        let handler = try handler((0..<500).map { Self.refusal(Double($0)) })
        let list = try #require(try await handler.list(tenant: nil)["refusals"]?.array)
        #expect(list.count == 200)
        #expect(list.first?.object?["request_id"] == "id-499.0")
    }

    @Test func onlyTheNamedTenantIsListed() async throws {
        let handler = try handler([Self.refusal(1), Self.refusal(2, tenant: "plain")])
        let list = try #require(try await handler.list(tenant: "plain")["refusals"]?.array)
        #expect(list.map { $0.object?["tenant"] } == ["plain"])
        await #expect { try await handler.list(tenant: "nobody") } throws: {
            ($0 as? AdminProblem)?.code == .unknownTenant
        }
    }
}
