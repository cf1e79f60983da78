import TestSupport
import Testing
import Verification

/// Names of claims and pointers into them.
struct ClaimPlaceTests {
    private static let claims: JSONObject = [
        "scp": "read", "https://shop.test/roles": ["admin"], "a/b": ["c": [10, 20]], "cognito:groups": ["staff"],
        "realm_access": ["roles": ["user"]], "a.b": 1,
    ]

    @Test(
        arguments: [
            ("scp", "read" as JSONValue?), ("https://shop.test/roles", ["admin"]), ("cognito:groups", ["staff"]),
            ("/scp", "read"), ("/realm_access/roles/0", "user"), ("/realm_access/roles", ["user"]), ("/a~1b/c/1", 20),
            ("/https:~1~1shop.test~1roles", ["admin"]), ("a.b", 1), ("/a.b", 1),
            ("realm_access/roles", nil), ("realm_access.roles", nil), ("/a/b", nil), ("/realm_access/roles/1", nil),
            ("SCP", nil), ("scp ", nil),
        ] as [(String, JSONValue?)]
    )
    func placeHasItsValue(text: String, expected: JSONValue?) throws {
        #expect(try #require(ClaimPlace(text)).value(in: Self.claims) == expected)
    }

    @Test(arguments: [
        "", "/~", "/a~2", String(repeating: "a", count: 257), String(repeating: "/a", count: 17),
        "/" + String(repeating: "b", count: 256),
    ])
    func emptyMalformedLongOrDeepPlaceIsRefused(text: String) {
        #expect(ClaimPlace(text) == nil)
    }

    @Test(arguments: [String(repeating: "a", count: 256), String(repeating: "/a", count: 16), "/", "a/~"])
    func placeWithinTheBoundsIsRead(text: String) {
        #expect(ClaimPlace(text)?.text == text)
    }

    @Test func placesAreComparedByteForByte() throws {
        #expect(try #require(ClaimPlace("\u{E9}")) != #require(ClaimPlace("e\u{301}")))
        #expect(try #require(ClaimPlace("a")) != #require(ClaimPlace("/a")))
        #expect(Set(["a", "/a", "a"].compactMap { ClaimPlace($0) }).count == 2)
    }

    @Test func valueIsPutWithTheObjectsAroundIt() throws {
        var claims: JSONObject = ["user": ["name": "Ann"], "text": "x"]
        try #require(ClaimPlace("/user/id")).put("7", in: &claims)
        try #require(ClaimPlace("/a/b/c")).put(true, in: &claims)
        try #require(ClaimPlace("urn:a/b")).put("plain", in: &claims)
        try #require(ClaimPlace("/text/below")).put("lost", in: &claims)
        #expect(
            claims == [
                "user": ["name": "Ann", "id": "7"], "text": "x", "a": ["b": ["c": true]], "urn:a/b": "plain",
            ]
        )
        #expect(ClaimPlace("/user/id")?.claim == "user")
        #expect(ClaimPlace("urn:a/b")?.claim == "urn:a/b")
    }

    @Test func whatIsPutIsFoundAgain() throws {
        var random = SplitMix64(seed: 9035)
        let alphabet = Array("ab~/0-é\u{301}. ")
        for _ in 0..<500 {
            let names = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                String(
                    (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in alphabet.randomElement(using: &random)
                    }
                )
            }
            let text = names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
            let place = try #require(ClaimPlace(text), "\(text)")
            var claims = JSONObject()
            place.put("there", in: &claims)
            #expect(place.value(in: claims) == "there", "\(text)")
            #expect(claims.members.count == 1)
        }
    }
}
