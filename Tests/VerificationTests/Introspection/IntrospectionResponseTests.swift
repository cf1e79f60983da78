import TestSupport
import Testing
import Time
import Verification

/// What an answer of an introspection endpoint makes of a token.
struct IntrospectionResponseTests {
    private static let now = UnixTime(1_800_000_000)
    private static let token = Array("2YotnFZFEjr1zCsicMWpAA".utf8)

    private func policy(_ change: (inout IntrospectionPolicy) -> Void = { _ in }) -> IntrospectionPolicy {
        var policy = IntrospectionPolicy(issuer: "https://id.test", requiredClaims: [], leeway: 60)
        change(&policy)
        return policy
    }

    private func principal(_ body: String, _ policy: IntrospectionPolicy? = nil) throws -> Principal {
        let answer = try #require(IntrospectionResponse(Array(body.utf8)))
        return try answer.principal(of: Self.token, policy ?? self.policy(), at: Self.now)
    }

    private func reason(_ body: String, _ policy: IntrospectionPolicy? = nil) throws -> VerificationFailure.Code? {
        do {
            _ = try principal(body, policy)
            return nil
        } catch let failure as VerificationFailure {
            return failure.reason
        }
    }

    @Test func activeResponseHasAPrincipal() throws {
        let principal = try principal(
            """
            {"active":true,"sub":"alice","scope":"read write","roles":["admin"],"role":"customer","sid":"s1",
            "jti":"t1","aud":["shop","all"],"exp":1800000600,"iat":1799999990.5,"nbf":1800000000,"client_id":"app",
            "username":"al","token_type":"Bearer","iss":"https://elsewhere.test","cnf":{"x":1}}
            """
        )
        #expect(principal.subject == "alice")
        #expect(principal.scopes == ["read", "write"])
        #expect(principal.roles == ["customer", "admin"])
        #expect(principal.sessionID == "s1")
        #expect(principal.tokenID == "t1")
        #expect(principal.audiences == ["shop", "all"])
        #expect(principal.expiresAt == 1_800_000_600)
        #expect(principal.issuedAt == 1_799_999_990.5)
        #expect(principal.notBefore == 1_800_000_000)
        #expect(principal.claims["active"] == nil)
        #expect(principal.claims["client_id"] == "app")
        #expect(principal.claims["cnf"] == ["x": 1])
        #expect(principal.algorithm == nil)
        #expect(principal.keyID == nil)
        #expect(principal.isOpaque)
    }

    /// Not what an answer says: its server would speak for other issuers, and their sessions.
    @Test func issuerIsTheConfiguredOne() throws {
        #expect(try principal(#"{"active":true,"iss":"https://elsewhere.test"}"#).issuer == "https://id.test")
        #expect(try principal(#"{"active":true}"#).issuer == "https://id.test")
    }

    /// Headers and rules that name `iss` see the same.
    @Test func issuerClaimIsTheConfiguredOne() throws {
        for body in [#"{"active":true,"iss":"https://elsewhere.test"}"#, #"{"active":true}"#] {
            let principal = try principal(body)
            #expect(principal.claimText("iss") == "https://id.test")
            #expect(principal.claims["iss"] == "https://id.test")
        }
        let policy = policy { $0.requiredClaims = ["iss"] }
        #expect(try reason(#"{"active":true}"#, policy) == .missingClaim)
    }

    /// Some servers write null for what a token does not have.
    @Test func nullConfirmationIsNoBinding() throws {
        let principal = try principal(#"{"active":true,"sub":"alice","cnf":null}"#)
        #expect(principal.claims["cnf"] == nil)
        #expect(Confirmation(principal.claims) == nil)
        #expect(try reason(#"{"active":true,"token_type":"DPoP","cnf":null}"#) == .wrongType)
        // What is there and not understood still gets nobody in.
        for odd in ["{}", "[]", "false", #"{"jkt":null}"#] {
            let claims = try self.principal(#"{"active":true,"cnf":\#(odd)}"#).claims
            #expect(Confirmation(claims)?.hasUnknown == true)
        }
    }

    @Test func principalIsIdentifiedByTheWholeToken() throws {
        for body in [#"{"active":true}"#, #"{"active":true,"jti":"t1"}"#] {
            #expect(try principal(body).signingInputSHA256 == SHA256.digest(Self.token))
        }
    }

    @Test(arguments: [
        #"{"active":false}"#, #"{"active":false,"sub":"alice","exp":1800000600}"#, #"{"active":false,"exp":"never"}"#,
    ])
    func inactiveTokenIsRefused(body: String) throws {
        #expect(try reason(body) == .inactive)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "true", #""active""#, #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":null}"#,
        #"{"active":[true]}"#, #"{"active":{}}"#, #"{"Active":true}"#, #"{"active":true,"active":true}"#,
        #"{"active":false,"active":true}"#, #"{"active":true,"sub":"a","sub":"b"}"#, #"[{"active":true}]"#,
        #"{"active":true} {"active":true}"#, #"{"active":true,}"#, #"{"active":True}"#, #"{'active':true}"#,
        #"{"active":true"#, "eyJhbGciOiJSUzI1NiJ9.eyJhY3RpdmUiOnRydWV9.c2ln",
        #"{"token_introspection":{"active":true}}"#, "\u{feff}{\"active\":true}",
    ])
    func malformedResponseIsRefused(body: String) {
        #expect(IntrospectionResponse(Array(body.utf8)) == nil)
    }

    @Test func responseLengthIsBounded() {
        let rest = String(
            repeating: "a",
            count: IntrospectionResponse.maximumLength - #"{"active":true,"a":""}"#.utf8.count
        )
        #expect(IntrospectionResponse(Array(#"{"active":true,"a":"\#(rest)"}"#.utf8)) != nil)
        #expect(IntrospectionResponse(Array(#"{"active":true,"a":"\#(rest)a"}"#.utf8)) == nil)
    }

    @Test(arguments: [
        (#""exp":"1800000600""#, VerificationFailure.Code.badClaim), (#""exp":null"#, .badClaim),
        (#""iat":"0""#, .badClaim), (#""nbf":true"#, .badClaim), (#""sub":7"#, .badClaim), (#""sub":["a"]"#, .badClaim),
        (#""jti":{}"#, .badClaim), (#""sid":1"#, .badClaim), (#""aud":{"a":1}"#, .badClaim),
        (#""aud":["a",1]"#, .badClaim),
        (#""iss":["https://id.test"]"#, .badClaim), (#""token_type":["Bearer"]"#, .badClaim),
        (#""exp":1799999940"#, .expired), (#""exp":0"#, .expired), (#""exp":-1"#, .expired),
        (#""nbf":1800000061"#, .notYetValid), (#""iat":1800000061"#, .issuedInFuture),
        (#""token_type":"refresh_token""#, .wrongType), (#""token_type":"N_A""#, .wrongType),
        (#""token_type":"""#, .wrongType), (#""token_type":"DPoP""#, .wrongType),
        (#""token_type":"DPoP","cnf":{"x5t#S256":"AA"}"#, .wrongType),
    ])
    func claimsAreCheckedAsInAJWT(claims: String, reason: VerificationFailure.Code) throws {
        #expect(try self.reason(#"{"active":true,\#(claims)}"#) == reason)
    }

    @Test(arguments: [
        #""exp":1799999941"#, #""nbf":1800000060"#, #""iat":1800000060"#, #""token_type":"BEARER""#,
        #""token_type":null"#, #""aud":"x""#,
        #""token_type":"dpop","cnf":{"jkt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
    ])
    func clocksMayDifferByTheLeeway(claims: String) throws {
        #expect(try reason(#"{"active":true,\#(claims)}"#) == nil)
    }

    @Test(arguments: [
        (#""iss":"https://id.test""#, nil as VerificationFailure.Code?), (#""iss":"https://id.test/""#, .unknownIssuer),
        (#""iss":"HTTPS://id.test""#, .unknownIssuer), (#""iss":"""#, .unknownIssuer), (#""sub":"a""#, .missingClaim),
    ])
    func otherIssuerIsRefused(claims: String, reason: VerificationFailure.Code?) throws {
        let policy = policy { $0.requiresIssuer = true }
        #expect(try self.reason(#"{"active":true,\#(claims)}"#, policy) == reason)
    }

    @Test(arguments: [
        (#""aud":"shop""#, nil as VerificationFailure.Code?), (#""aud":["x","shop"]"#, nil),
        (#""aud":"Shop""#, .wrongAudience),
        (#""aud":[]"#, .wrongAudience), (#""sub":"a""#, .wrongAudience), (#""aud":"shop x""#, .wrongAudience),
    ])
    func oneOfTheAudiencesMustBeNamed(claims: String, reason: VerificationFailure.Code?) throws {
        let policy = policy { $0.audiences = ["shop", "other"] }
        #expect(try self.reason(#"{"active":true,\#(claims)}"#, policy) == reason)
    }

    @Test func requiredClaimsAreRequired() throws {
        let policy = policy { $0.requiredClaims = ["exp", "email"] }
        #expect(try reason(#"{"active":true,"email":"a@b"}"#, policy) == .missingClaim)
        #expect(try reason(#"{"active":true,"exp":1800000600,"email":null}"#, policy) == .missingClaim)
        #expect(try reason(#"{"active":true,"exp":1800000600,"email":"a@b"}"#, policy) == nil)
    }

    /// Whatever bytes come, nobody is let in but by an object that says so.
    @Test func randomBytesGiveNoPrincipal() throws {
        var random = SplitMix64(seed: 7662)
        let good = Array(#"{"active":true,"sub":"alice","exp":1800000600,"aud":["shop"]}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            guard let answer = IntrospectionResponse(bytes) else { continue }
            let parsed = try #require(try JSONParser.parse(bytes).object)
            guard let principal = try? answer.principal(of: Self.token, policy(), at: Self.now) else { continue }
            #expect(parsed["active"] == true)
            #expect(principal.subject == parsed["sub"]?.string)
        }
    }
}
