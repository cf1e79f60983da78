import Testing

@testable import AdminAPI

struct AdminQueryTests {
    private func read(_ query: String) throws(AdminProblem) -> [String: String] {
        try AdminQuery.parameters(query, known: ["tenant", "subject"])
    }

    @Test(
        arguments: [
            ("", [:]), ("tenant=app", ["tenant": "app"]), ("tenant=", ["tenant": ""]), ("tenant", ["tenant": ""]),
            ("tenant=a%20b+c&subject=%C3%A9%2B", ["tenant": "a b c", "subject": "\u{e9}+"]),
            ("&tenant=a&&", ["tenant": "a"]), ("%74enant=a=b", ["tenant": "a=b"]),
        ] as [(String, [String: String])]
    )
    func parametersAreDecoded(_ query: String, _ values: [String: String]) throws {
        #expect(try read(query) == values)
    }

    @Test(arguments: [
        "tenant=%", "tenant=%2", "tenant=%zz", "tenant=%ff", "ten%ffant=a", "tenant=a&tenant=a", "tenant=a&token=b",
        "=a", "Tenant=a",
    ])
    func ambiguousQueryIsRefused(_ query: String) {
        let problem = #expect(throws: AdminProblem.self) { try read(query) }
        #expect(problem?.code == .badRequest)
    }

    @Test func unknownParametersAreRefused() throws {
        #expect(try AdminQuery.parameters("", known: []) == [:])
        #expect(throws: AdminProblem.badRequest("there are no parameters here")) {
            try AdminQuery.parameters("a=b", known: [])
        }
    }
}
