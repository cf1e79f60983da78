import Testing
import Verification

@testable import Signals

struct SubjectIdentifierTests {
    private static let issuer = "https://id.test"

    private static func targets(_ object: JSONObject) throws -> [SignalTarget] {
        try SubjectIdentifier(object).targets(from: issuer)
    }

    @Test func everyFormatLeadsToItsTargets() throws {
        #expect(
            try Self.targets(["format": "iss_sub", "iss": "https://o.test", "sub": "a"])
                == [.subject("a", .issuer("https://o.test"))]
        )
        #expect(try Self.targets(["format": "opaque", "id": "a"]) == [.subject("a", .issuer(Self.issuer))])
        #expect(try Self.targets(["format": "email", "email": "a@b.test"]) == [.subject("a@b.test", .anyone)])
        #expect(try Self.targets(["format": "phone_number", "phone_number": "+1"]) == [.subject("+1", .anyone)])
        #expect(
            try Self.targets(["format": "account", "uri": "acct:a@b.test"])
                == [.subject("acct:a@b.test", .anyone), .subject("a@b.test", .anyone)]
        )
        #expect(
            try Self.targets(["format": "jwt_id", "iss": "i", "jti": "t"]) == [.token(issuer: "i", tokenID: "t")]
        )
        #expect(try Self.targets(["format": "did", "url": "did:x:y"]).isEmpty)
    }

    @Test func aliasesAreTargetsEachOnce() throws {
        let alias: JSONValue = ["format": "opaque", "id": "a"]
        let targets = try Self.targets([
            "format": "aliases", "identifiers": [alias, ["format": "opaque", "id": "b"], alias],
        ])
        #expect(targets == [.subject("a", .issuer(Self.issuer)), .subject("b", .issuer(Self.issuer))])
    }

    @Test(arguments: [true, false]) func ofAComplexSubjectTheSessionCounts(_ hasFormat: Bool) throws {
        var object: JSONObject = [
            "user": ["format": "iss_sub", "iss": "https://id.test", "sub": "a"],
            "session": ["format": "opaque", "id": "s1"],
        ]
        if hasFormat { object["format"] = "complex" }
        #expect(try Self.targets(object) == [.session("s1", .issuer(Self.issuer))])
        object["session"] = JSONValue?.none
        object["device"] = ["format": "opaque", "id": "d"]
        #expect(try Self.targets(object) == [.subject("a", .issuer(Self.issuer))])
        object["user"] = JSONValue?.none
        #expect(try Self.targets(object).isEmpty)
    }

    @Test func aliasesHaveNoAliases() {
        let inner: JSONValue = ["format": "aliases", "identifiers": [["format": "opaque", "id": "a"]]]
        let outer: JSONObject = ["format": "aliases", "identifiers": [inner]]
        #expect(throws: SubjectProblem.badAliases) { try SubjectIdentifier(outer) }
    }

    @Test func nestingIsBounded() {
        var object: JSONValue = ["format": "opaque", "id": "a"]
        for _ in 0..<3 { object = ["format": "complex", "user": object] }
        #expect(throws: SubjectProblem.tooDeep) { try SubjectIdentifier(object.object ?? JSONObject()) }
    }
}
