import TestSupport
import Testing

@testable import AdminAPI

struct AdminBodyTests {
    private func body(_ text: String) throws(AdminProblem) -> AdminBody {
        try AdminBody(json: Array(text.utf8), members: ["tenant", "dry_run"])
    }

    @Test(arguments: ["", "[]", "null", "{", #"{"tenant":"a","tenant":"b"}"#, #"{"tenant":"app","other":1}"#])
    func bodyWithUnknownMembersIsRefused(_ text: String) {
        let problem = #expect(throws: AdminProblem.self) { try body(text) }
        #expect(problem?.code == .badRequest)
    }

    @Test func membersHaveTheirTypes() throws {
        let body = try body(#"{"tenant":"app","dry_run":true}"#)
        #expect(try body.text("tenant") == "app")
        #expect(try body.flag("dry_run"))
        #expect(body.has("tenant"))
        for text in [
            #"{"tenant":""}"#, #"{"tenant":1}"#, "{}", #"{"tenant":"\#(String(repeating: "a", count: 1025))"}"#,
        ] {
            #expect(throws: AdminProblem.self) { try self.body(text).text("tenant") }
        }
        #expect(!(try self.body("{}").flag("dry_run")))
        #expect(throws: AdminProblem.self) { try self.body(#"{"dry_run":"yes"}"#).flag("dry_run") }
    }
}
