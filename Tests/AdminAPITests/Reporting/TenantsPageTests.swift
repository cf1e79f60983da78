import Tenants
import TestSupport
import Testing

@testable import AdminAPI

/// Pages of the list of tenants.
struct TenantsPageTests {
    private static let names = ["shop-b", "app", "shop-a", "Zoo", "shop-10", "shop-9"]

    private func all(_ limit: Int, _ caller: AdminCaller) throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            var parameters = ["limit": "\(limit)"]
            parameters["cursor"] = cursor
            let part = try TenantsPage(parameters, caller).part(of: Self.names) { $0 }
            pages.append(part.items)
            cursor = part.next
        } while cursor != nil
        return pages
    }

    @Test func pagesAreInOrderOfTheBytesOfTheNames() throws {
        #expect(
            try all(4, .loopback) == [["Zoo", "app", "shop-10", "shop-9"], ["shop-a", "shop-b"]]
        )
        #expect(try all(6, .loopback).count == 1)
    }

    @Test func callerSeesTheTenantsOfItsPatterns() throws {
        let shops = try #require(TenantNamePattern("shop-*"))
        #expect(try all(3, .named("team", [.tenants(shops)])) == [["shop-10", "shop-9", "shop-a"], ["shop-b"]])
        #expect(try all(9, .named("desk", [.read])).joined().count == Self.names.count)
        #expect(try TenantsPage([:], .named("team", [.tenants(shops)])).isWhole == false)
    }

    @Test func cursorNeedNotBeThereAnyMore() throws {
        let part = try TenantsPage(["cursor": "shop-1"], .loopback).part(of: Self.names) { $0 }
        #expect(part.items == ["shop-10", "shop-9", "shop-a", "shop-b"] && part.next == nil)
    }

    @Test(arguments: ["0", "1001", "-1", "ten", ""]) func limitOutOfBoundsIsRefused(_ limit: String) {
        #expect(throws: AdminProblem.self) { try TenantsPage(["limit": limit], .loopback) }
    }
}
