import HTTPTypes
import SharedState
import TestSupport
import Testing

@testable import AdminAPI

/// What a write of a tenant expects to be there.
struct TenantConditionTests {
    private func read(_ fields: HTTPFields) -> Result<StoredTenantWrite.Condition, AdminProblem> {
        Result { () throws(AdminProblem) in try TenantCondition.read(fields) }
    }

    private func code(_ fields: HTTPFields) -> AdminProblem.Code? {
        guard case .failure(let problem) = read(fields) else { return nil }
        return problem.code
    }

    @Test func entityTagOrNewnessIsTheCondition() {
        #expect(read([.ifMatch: "\"7-1f9c03ab5d2e4c60\""]) == .success(.tag("7-1f9c03ab5d2e4c60")))
        #expect(read([.ifNoneMatch: "*"]) == .success(.absent))
    }

    @Test func writeWithoutAConditionNeedsOne() {
        #expect(code([:]) == .preconditionRequired)
    }

    @Test(arguments: ["*", "7-a", "W/\"7-a\"", "\"7-a\", \"8-b\"", "\"\"", "\"", ""])
    func whatIsNoSingleStrongTagIsRefused(_ value: String) {
        #expect(code([.ifMatch: value]) == .badRequest)
    }

    @Test func bothConditionsOrATagForANewTenantAreRefused() {
        #expect(code([.ifMatch: "\"7-a\"", .ifNoneMatch: "*"]) == .badRequest)
        #expect(code([.ifNoneMatch: "\"7-a\""]) == .badRequest)
    }
}
