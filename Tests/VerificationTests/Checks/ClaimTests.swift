import Testing
import Time
import Verification

@Suite struct ClaimTests {
    private func refusal(
        _ changes: KeyValuePairs<String, JSONValue?>,
        at now: UnixTime = VerificationFixture.now,
        audiences: [String] = ["the-app"],
        required: [String] = []
    ) throws -> VerificationFailure? {
        let verifier = try VerificationFixture.verifier(audiences: audiences, required: required)
        return try VerificationFixture.refusal(of: VerificationFixture.token(changing: changes), at: now, by: verifier)
    }

    @Test func validTokenIsAccepted() throws {
        #expect(try refusal([:]) == nil)
    }

    @Test func expiryHasALeewayOfSixtySeconds() throws {
        let exp = UnixTime(1_800_000_600)
        #expect(try refusal([:], at: exp + 59.9) == nil)
        let failure = try #require(try refusal([:], at: exp + 60))
        #expect(failure.reason == .expired)
        #expect(failure.isExpiry)
    }

    @Test func expiryIsReportedOnlyForOtherwiseValidTokens() throws {
        let late = VerificationFixture.now + 1e9
        #expect(try refusal(["aud": "other"], at: late)?.reason == .wrongAudience)
        #expect(try refusal(["sub": nil], at: late, required: ["sub"])?.reason == .missingClaim)
        let forged = try VerificationFixture.token() + "AAAA"
        #expect(try VerificationFixture.refusal(of: forged, at: late)?.reason == .badSignature)
    }

    @Test func futureTokensAreRefused() throws {
        #expect(try refusal(["nbf": 1_800_000_060]) == nil)
        #expect(try refusal(["nbf": 1_800_000_061])?.reason == .notYetValid)
        #expect(try refusal(["iat": 1_800_000_060]) == nil)
        #expect(try refusal(["iat": 1_800_000_061])?.reason == .issuedInFuture)
    }

    @Test func nonNumericTimeIsRefused() throws {
        #expect(try refusal(["nbf": nil, "iat": nil], at: UnixTime(.nan))?.reason == .expired)
        #expect(try refusal([:], at: UnixTime(.nan))?.reason == .issuedInFuture)
    }

    @Test(arguments: ["exp", "nbf", "iat"])
    func timesAreNumbers(name: String) throws {
        let verifier = try VerificationFixture.verifier()
        for value: JSONValue in ["1800000000", nil, true, [1_800_000_000], [:]] {
            let token = try VerificationFixture.token(changing: [name: value])
            let failure = try VerificationFixture.refusal(of: token, by: verifier)
            #expect(failure?.reason == .badClaim)
            #expect(failure?.claim == name)
        }
    }

    @Test func timesMayHaveFractions() throws {
        let number = try #require(JSONNumber(VerificationFixture.now - 59.5))
        #expect(try refusal(["exp": .number(number)]) == nil)
    }

    @Test func timeBeyondADoubleIsRefused() throws {
        let token = try VerificationFixture.rawToken(
            header: #"{"alg":"HS256"}"#,
            payload: #"{"iss":"https://issuer.example","exp":1e400}"#
        )
        #expect(try VerificationFixture.refusal(of: token)?.reason == .badPayload)
    }

    @Test(arguments: ["sub", "jti", "sid", "iss"])
    func namesAreStrings(name: String) throws {
        let verifier = try VerificationFixture.verifier()
        for value: JSONValue in [7, nil, ["x"], [:]] {
            let failure = try VerificationFixture.refusal(
                of: VerificationFixture.token(changing: [name: value]),
                by: verifier
            )
            #expect(failure?.reason == .badClaim)
            #expect(failure?.claim == name)
        }
    }

    @Test func audienceIsAStringOrAnArrayOfStrings() throws {
        #expect(try refusal(["aud": ["other", "the-app"]]) == nil)
        #expect(try refusal(["aud": ["other"]])?.reason == .wrongAudience)
        #expect(try refusal(["aud": []])?.reason == .wrongAudience)
        #expect(try refusal(["aud": JSONValue.null])?.reason == .badClaim)
        #expect(try refusal(["aud": ["the-app", 7]])?.reason == .badClaim)
        #expect(try refusal(["aud": 7], audiences: [])?.reason == .badClaim)
        #expect(try refusal(["aud": "other"], audiences: []) == nil)
        #expect(try refusal(["aud": "The-App"])?.reason == .wrongAudience)
    }

    @Test func issuerMatchesExactly() throws {
        #expect(try refusal(["iss": ["https://issuer.example"]])?.reason == .badClaim)
        for issuer in ["https://issuer.example/", "https://Issuer.example", "", "https://issuer.exampl\u{65}\u{301}"] {
            #expect(try refusal(["iss": .string(issuer)])?.reason == .unknownIssuer)
        }
    }

    @Test func missingIssuerIsRefused() throws {
        let token = try VerificationFixture.rawToken(header: #"{"alg":"HS256"}"#, payload: #"{"sub":"alice"}"#)
        let failure = try VerificationFixture.refusal(of: token)
        #expect(failure?.reason == .missingClaim)
        #expect(failure?.claim == "iss")
    }

    @Test func requiredClaimsMustBePresentAndNotNull() throws {
        #expect(try refusal([:], required: ["sub", "exp", "role"]) == nil)
        #expect(try refusal(["role": nil], required: ["role"])?.claim == "role")
        let token = try VerificationFixture.rawToken(
            header: #"{"alg":"HS256"}"#,
            payload: #"{"iss":"https://issuer.example","sub":"alice"}"#
        )
        let verifier = try VerificationFixture.verifier(audiences: [], required: ["exp"])
        #expect(try VerificationFixture.refusal(of: token, by: verifier)?.claim == "exp")
    }

    @Test(arguments: ["[]", "\"text\"", "7", "null", "", "{\"iss\":1,\"iss\":2}", "{} x"])
    func payloadMustBeAnObject(payload: String) throws {
        let token = try VerificationFixture.rawToken(header: #"{"alg":"HS256"}"#, payload: payload)
        #expect(try VerificationFixture.refusal(of: token)?.reason == .badPayload)
    }

    @Test func keysOfOneIssuerDoNotVerifyAnother() throws {
        let other = IssuerPolicy(
            issuer: "https://other.example",
            algorithms: [.es256],
            keys: try VerificationFixture.keySet(for: .es256)
        )
        let own = IssuerPolicy(
            issuer: VerificationFixture.issuer,
            algorithms: [.hs256],
            keys: try VerificationFixture.keySet(for: .hs256)
        )
        let verifier = TokenVerifier(VerificationPolicy(issuers: [other, own]))
        #expect(try VerificationFixture.refusal(of: VerificationFixture.token(.hs256), by: verifier) == nil)
        #expect(
            try VerificationFixture.refusal(of: VerificationFixture.token(.es256), by: verifier)?.reason
                == .algorithmNotAllowed
        )
        let borrowed = try VerificationFixture.token(.hs256, changing: ["iss": "https://other.example"])
        #expect(try VerificationFixture.refusal(of: borrowed, by: verifier)?.reason == .algorithmNotAllowed)
    }

    @Test func issuerMayBeListedOncePerAlgorithm() throws {
        let policies = try [SignatureAlgorithm.es256, .hs256].map {
            IssuerPolicy(
                issuer: VerificationFixture.issuer,
                algorithms: [$0],
                keys: try VerificationFixture.keySet(for: $0)
            )
        }
        let verifier = TokenVerifier(VerificationPolicy(issuers: policies))
        #expect(try VerificationFixture.refusal(of: VerificationFixture.token(.hs256), by: verifier) == nil)
        #expect(try VerificationFixture.refusal(of: VerificationFixture.token(.es256), by: verifier) == nil)
    }
}
