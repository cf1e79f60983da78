import Tenants
import Testing
import Verification

/// `/api/revocations`: what is acknowledged is in force for the very next request.
@Suite struct RevocationAPITests {
    /// Names the same caller by every selector.
    private static let claims: JSONObject = ["jti": "t1", "sid": "s1", "sub": "alice"]

    private func pass(_ house: House, _ token: String) async throws {
        #expect(try await house.request("/x", token: token).status == 200)
    }

    private func isRevoked(_ house: House, _ token: String) async throws {
        expectRefusal(try await house.request("/x", token: token), 401, "token_revoked")
    }

    @Test(arguments: [
        (#""jti":"t1""#, ["jti", "jti"]), (#""session":"s1""#, ["session"]), (#""subject":"alice""#, ["subject"]),
        (#""all":true"#, ["all"]),
    ])
    func selectorsRefuseAndWithdrawingLetsPassAgain(_ selector: String, _ kinds: [String]) async throws {
        try await withHouse { house async throws in
            let token = try house.token(Self.claims)
            try await pass(house, token)
            let body = #"{"tenant":"app",\#(selector),"reason":"a test"}"#
            let revoked = try house.entries("revoked", try await house.revocations("POST", body: body))
            #expect(revoked.map { $0["kind"]?.string } == kinds)
            #expect(revoked.allSatisfy { $0["expires_at"] == .null && $0["reason"] == "a test" })
            try await isRevoked(house, token)
            let withdrawn = try house.entries("withdrawn", try await house.revocations("DELETE", body: body))
            #expect(withdrawn.map { $0["kind"]?.string } == kinds)
            try await pass(house, token)
            #expect(try house.entries("withdrawn", try await house.revocations("DELETE", body: body)).isEmpty)
            try await pass(house, token)
        }
    }

    @Test(arguments: [["jti": "t1"], [:]] as [JSONObject])
    func tokensAreRevokedWhole(_ claims: JSONObject) async throws {
        try await withHouse { house async throws in
            let token = try house.token(claims)
            let other = try house.token(["jti": "t2"])
            try await pass(house, token)
            let body = #"{"tenant":"app","token":"\#(token)"}"#
            let answer = try await house.revocations("POST", body: body)
            #expect(try house.entries("revoked", answer).first?["expires_at"]?.string != nil)
            #expect(!answer.body.text.contains(token))
            try await isRevoked(house, token)
            try await pass(house, other)
            _ = try house.entries("withdrawn", try await house.revocations("DELETE", body: body))
            try await pass(house, token)
        }
    }

    @Test func othersAreNotRevoked() async throws {
        try await withHouse { house async throws in
            let others = [
                try house.token(["jti": "t2", "sid": "s2", "sub": "bob"]), try house.token(["sub": "bob"]),
            ]
            for selector in [#""jti":"t1""#, #""session":"s1""#, #""subject":"alice""#] {
                let body = #"{"tenant":"app",\#(selector)}"#
                _ = try house.entries("revoked", try await house.revocations("POST", body: body))
            }
            for token in others { try await pass(house, token) }
        }
    }

    @Test func otherTenantsAreNotTouched() async throws {
        let others = """
            shop:
              hosts: [shop.test]
              backend: { servers: ["{other}"] }
              authenticate:
                from: [bearer]
                issuers:
                  - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${HOUSE_SECRET}" }
            """
        try await withHouse(HouseSetup(others: others)) { house async throws in
            let token = try house.token(Self.claims)
            for selector in [#""jti":"t1""#, #""session":"s1""#, #""subject":"alice""#, #""all":true"#] {
                let body = #"{"tenant":"shop",\#(selector)}"#
                _ = try house.entries("revoked", try await house.revocations("POST", body: body))
            }
            try await pass(house, token)
            expectRefusal(try await house.request("/x", host: "shop.test", token: token), 401, "token_revoked")
        }
    }

    @Test func subjectsThatSignInAgainPass() async throws {
        try await withHouse { house async throws in
            let body = #"{"tenant":"app","subject":"alice"}"#
            _ = try house.entries("revoked", try await house.revocations("POST", body: body))
            try await isRevoked(house, try house.token(["iat": TestIssuer.fromNow(-30)]))
            // Within the leeway, so that it is later than the revocation whatever the clock says.
            try await pass(house, try house.token(["iat": TestIssuer.fromNow(30)]))
        }
    }

    @Test func everyLoopHasItWhenItIsAcknowledged() async throws {
        try await withHouse(HouseSetup(gateway: "threads: 4")) { house async throws in
            let tokens = try (0..<8).map { try house.token(["jti": .string("t\($0)"), "sid": "s1"]) }
            for token in tokens { try await pass(house, token) }
            let body = #"{"tenant":"app","session":"s1"}"#
            _ = try house.entries("revoked", try await house.revocations("POST", body: body))
            for token in tokens + tokens { try await isRevoked(house, token) }
        }
    }

    @Test func listTellsWhatIsInForcePageByPage() async throws {
        try await withHouse { house async throws in
            for name in ["a", "b", "c"] {
                let body = #"{"tenant":"app","session":"\#(name)","for":"1h"}"#
                _ = try house.entries("revoked", try await house.revocations("POST", body: body))
            }
            _ = try await house.revocations("DELETE", body: #"{"tenant":"app","session":"b"}"#)
            let first = try await house.revocations("GET", query: "?tenant=app&limit=1", fields: [])
            var names = try house.entries("revocations", first).map { $0["id"]?.string }
            var next = try JSONParser.parse(first.body.bytes).object?["next"]?.string
            for _ in 0..<3 {
                guard let cursor = next else { break }
                let page = try await house.revocations("GET", query: "?tenant=app&cursor=\(cursor)", fields: [])
                names += try house.entries("revocations", page).map { $0["id"]?.string }
                next = try JSONParser.parse(page.body.bytes).object?["next"]?.string
            }
            #expect(names.compactMap { $0 }.sorted() == ["a", "c"])
            #expect(next == nil)
        }
    }

    @Test func everyChangeIsInTheLog() async throws {
        try await withHouse { house async throws in
            let body = #"{"tenant":"app","subject":"alice","reason":"left the company"}"#
            _ = try await house.revocations("POST", body: body)
            _ = try await house.revocations("DELETE", body: body)
            for change in ["notice revoked", "notice revocation withdrawn"] {
                let lines = house.log.text.split(separator: "\n").filter { $0.hasPrefix(change) }
                #expect(lines.count == 1)
                #expect(lines.first?.contains("left the company") == true)
            }
        }
    }
}
