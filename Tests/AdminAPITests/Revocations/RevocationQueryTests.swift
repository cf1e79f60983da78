import Testing

@testable import AdminAPI

/// Queries of `GET /api/revocations`.
struct RevocationQueryTests {
    @Test func cursorAndLimitMayBeLeftOut() throws {
        let query = try RevocationQuery(["tenant": "app"])
        #expect(query.tenant == "app")
        #expect(query.cursor == nil)
        #expect(query.limit == 100)
    }

    @Test(arguments: [("1", 1), ("1000", 1000), ("007", 7)])
    func limitsAreWholeNumbers(_ text: String, _ limit: Int) throws {
        let query = try RevocationQuery(["limit": text, "cursor": "c", "tenant": "app"])
        #expect(query.limit == limit)
        #expect(query.cursor == "c")
    }

    private static let mistakes: [([String: String], String)] = [
        ([:], "name a tenant: /api/revocations?tenant=NAME"),
        (["tenant": ""], "name a tenant: /api/revocations?tenant=NAME"),
        (["tenant": "app", "limit": "0"], "limit must be a whole number from 1 to 1000"),
        (["tenant": "app", "limit": "1001"], "limit must be a whole number from 1 to 1000"),
        (["tenant": "app", "limit": "-1"], "limit must be a whole number from 1 to 1000"),
        (["tenant": "app", "limit": "+1"], "limit must be a whole number from 1 to 1000"),
        (["tenant": "app", "limit": ""], "limit must be a whole number from 1 to 1000"),
        (["tenant": "app", "limit": "99999999999999999999"], "limit must be a whole number from 1 to 1000"),
    ]

    @Test(arguments: mistakes)
    func everyMistakeIsReported(_ values: [String: String], _ detail: String) {
        #expect(throws: AdminProblem.badRequest(detail)) { try RevocationQuery(values) }
    }
}
