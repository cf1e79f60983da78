import Testing
import Verification

/// What is read from the places of a mapping.
struct ClaimMappingTests {
    private typealias Place = ClaimFinding.Place

    private static func mapping(
        _ field: ClaimMapping.Field,
        _ places: [String],
        prefix: String = ""
    ) -> ClaimMapping {
        ClaimMapping([field: places.compactMap { ClaimPlace($0) }], rolesPrefix: prefix)
    }

    private static func finding(
        _ field: ClaimMapping.Field,
        _ places: String...,
        prefix: String = "",
        in claims: JSONObject
    ) throws -> ClaimFinding {
        let findings = mapping(field, places, prefix: prefix).findings(in: claims)
        try #require(findings.count == 1)
        return findings[0]
    }

    @Test(
        arguments: [
            ("admin" as JSONValue, ["admin"]), ("admin  user ", ["admin", "user"]), ("", []), ([], []),
            (["admin", "two words", "", "admin"], ["admin", "two words"]),
            (
                ["admin": true, "user": false, "old": nil, "staff": ["id1": "acme.test"], "none": [:]],
                ["admin", "staff"]
            ),
            ([["admin": ["id1": "acme.test"]], ["user": ["id2": "x"]]], ["admin", "user"]),
            (true, ["roles"]), (false, []),
        ] as [(JSONValue, [String])]
    )
    func rolesAreReadOfEveryForm(value: JSONValue, expected: [String]) throws {
        let finding = try Self.finding(.roles, "/x/roles", in: ["x": .object(["roles": value])])
        #expect(finding.values == expected && finding.leftOut == 0)
        #expect(finding.places.map(\.outcome) == [.read])
    }

    @Test(
        arguments: [
            7 as JSONValue, ["admin", 7], ["admin", ["user"]], ["admin", nil], ["admin", true],
            [["id": 1, "name": "admin"]],
            ["id": 1, "name": "admin"], ["admin": "yes"], ["admin": ["x"]],
        ] as [JSONValue]
    )
    func valueOfAnotherTypeGivesNoRoles(value: JSONValue) throws {
        let finding = try Self.finding(.roles, "roles", in: ["roles": value])
        #expect(finding.values == [])
        #expect(finding.places.map(\.outcome) == [.unfit])
    }

    @Test func severalPlacesAreJoined() throws {
        let finding = try Self.finding(
            .roles,
            "/realm_access/roles",
            "/resource_access/shop/roles",
            "groups",
            "bad",
            in: ["realm_access": ["roles": ["user", "admin"]], "groups": "admin staff", "bad": 1]
        )
        #expect(finding.values == ["user", "admin", "staff"])
        #expect(finding.places.map(\.outcome) == [.read, .missing, .read, .unfit])
        #expect(finding.places.map(\.text) == ["/realm_access/roles", "/resource_access/shop/roles", "groups", "bad"])
    }

    @Test func nullIsMissing() throws {
        #expect(try Self.finding(.roles, "roles", in: ["roles": nil]).places.map(\.outcome) == [.missing])
    }

    @Test func prefixIsCutOffAndRolesWithoutItAreLeftOut() throws {
        let claims: JSONObject = ["groups": ["shop_admin", "crm_admin", "admin", "shop_", "shop_shop_x", "SHOP_y"]]
        let finding = try Self.finding(.roles, "groups", prefix: "shop_", in: claims)
        #expect(finding.values == ["admin", "shop_x"] && finding.leftOut == 3)
        let scopes = ClaimMapping(
            [.scopes: ["groups"].compactMap { ClaimPlace($0) }],
            rolesPrefix: "shop_"
        )
        #expect(scopes.findings(in: claims).first?.values.count == 6)
    }

    @Test func prefixIsComparedByteForByte() throws {
        // The mark makes one character with the end of the prefix.
        let finding = try Self.finding(.roles, "r", prefix: "e", in: ["r": ["e\u{301}x", "\u{E9}x"]])
        #expect(finding.values == ["\u{301}x"] && finding.leftOut == 1)
    }

    @Test(
        arguments: [
            ("read write" as JSONValue, ["read", "write"]), (["read", "write all"], ["read"]), (["a": true], ["a"]),
        ] as [(JSONValue, [String])]
    )
    func scopesHaveNoSpaces(value: JSONValue, expected: [String]) throws {
        #expect(try Self.finding(.scopes, "scp", in: ["scp": value]).values == expected)
    }

    @Test(arguments: [ClaimMapping.Field.subject, .email, .session])
    func loneTextsAreTextsAlone(field: ClaimMapping.Field) throws {
        #expect(try Self.finding(field, "/a/0", in: ["a": ["two words"]]).values == ["two words"])
        for value in [7 as JSONValue, ["x"], ["x": true], true] {
            let finding = try Self.finding(field, "a", in: ["a": value])
            #expect(finding.values == [] && finding.places.map(\.outcome) == [.unfit])
        }
        #expect(try Self.finding(field, "a", in: ["a": ""]).values == [])
    }

    @Test func audienceIsATextOrTexts() throws {
        #expect(try Self.finding(.audience, "azp", in: ["azp": "https://a b"]).values == ["https://a b"])
        #expect(try Self.finding(.audience, "azp", in: ["azp": ["a", "b"]]).values == ["a", "b"])
        #expect(try Self.finding(.audience, "azp", in: ["azp": ["a", 1]]).values == [])
    }

    @Test func namesHaveABound() throws {
        let many = (0..<1000).map { JSONValue.string("role\($0)") }
        let finding = try Self.finding(.roles, "a", "b", in: ["a": .array(many), "b": "more"])
        #expect(finding.values.count == ClaimMapping.maximumNames)
        #expect(finding.values.last == "role255")
        #expect(finding.leftOut == 1000 - 256 + 1)
    }

    @Test func fieldsWithoutPlacesAreNotRead() {
        #expect(ClaimMapping().findings(in: ["roles": "admin"]).isEmpty)
        #expect(ClaimMapping([.roles: []]).findings(in: ["roles": "admin"]).isEmpty)
    }

    @Test(
        arguments: [
            ("token_use", ["access", "id"], ["token_use": "access"] as JSONObject, true),
            ("token_use", ["id"], ["token_use": "access"], false),
            ("token_use", ["access"], [:], false), ("token_use", ["access"], ["token_use": nil], false),
            ("token_use", ["access"], ["token_use": ["x", "access"]], true),
            ("token_use", ["access"], ["token_use": ["access": true]], false),
            ("/a/v", ["2"], ["a": ["v": 2]], true),
            ("ok", ["true"], ["ok": true], true), ("ok", ["true"], ["ok": false], false),
            ("n", ["\u{E9}"], ["n": "e\u{301}"], false),
        ] as [(String, [String], JSONObject, Bool)]
    )
    func conditionHolds(place: String, values: [String], claims: JSONObject, expected: Bool) throws {
        #expect(ClaimCondition(try #require(ClaimPlace(place)), values).holds(in: claims) == expected)
    }

    @Test func conditionMayAllowAMissingClaim() throws {
        let condition = ClaimCondition(try #require(ClaimPlace("sts")), ["active"], allowsMissing: true)
        #expect(condition.holds(in: [:]))
        #expect(condition.holds(in: ["sts": "active"]))
        #expect(!condition.holds(in: ["sts": "pending"]))
    }
}
