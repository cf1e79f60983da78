import Testing

@testable import IdentityProvider

/// The parameters of queries and forms.
struct FormFieldsTests {
    @Test func everyPairCountsTowardsLimit() throws {
        for pair in ["a", "a=", "=", "&a="] {
            let most = Array(repeating: pair, count: 63).joined(separator: "&")
            #expect(try FormFields(Array((most + "&b=1").utf8))["b"] == "1")
            #expect(throws: FormFields.Problem.tooMany) { try FormFields(Array((most + "&a=&b=1").utf8)) }
        }
        let many = (0..<65).map { "n\($0)=1" }
        #expect(throws: FormFields.Problem.tooMany) { try FormFields(Array(many.joined(separator: "&").utf8)) }
        #expect(try FormFields(Array(many.prefix(64).joined(separator: "&").utf8)).all.count == 64)
    }

    @Test func emptyPairsAreIgnored() throws {
        #expect(try FormFields(Array("&&a=1&&&b=2&".utf8)).all.map(\.name) == ["a", "b"])
    }
}
