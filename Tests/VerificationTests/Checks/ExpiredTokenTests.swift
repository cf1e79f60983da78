import Testing
import Time
import Verification

@Suite struct ExpiredTokenTests {
    private static let exp = UnixTime(1_800_000_600)
    private static let leeway = 60.0
    private static let grace = 3600.0

    private func refusal(
        of token: String,
        at now: UnixTime,
        within grace: Double = Self.grace,
        by verifier: TokenVerifier? = nil
    ) throws -> VerificationFailure? {
        let verifier = try verifier ?? VerificationFixture.verifier()
        do throws(VerificationFailure) {
            _ = try verifier.verifyExpired(Array(token.utf8).span, at: now, within: grace)
            return nil
        } catch {
            return error
        }
    }

    @Test func expiredPrincipalIsReturned() throws {
        let token = Array(try VerificationFixture.token().utf8)
        let expired = try VerificationFixture.verifier().verifyExpired(
            token.span,
            at: Self.exp + 1000,
            within: Self.grace
        )
        #expect(expired.principal.subject == "alice")
        #expect(expired.principal.sessionID == "session-1")
        #expect(expired.principal.expiresAt == Self.exp)
    }

    @Test func graceBeginsAfterTheLeeway() throws {
        let token = try VerificationFixture.token()
        let end = Self.exp + Self.leeway + Self.grace
        for now in [VerificationFixture.now, Self.exp, Self.exp + Self.leeway, end - 0.5] {
            #expect(try refusal(of: token, at: now) == nil)
        }
        for now in [end, end + 1, end + 1e9, .distantFuture, UnixTime(.nan)] {
            #expect(try refusal(of: token, at: now) != nil)
        }
        #expect(try refusal(of: token, at: end)?.isExpiry == true)
    }

    @Test func zeroGraceEndsWithTheLeeway() throws {
        let token = try VerificationFixture.token()
        for now in [Self.exp + Self.leeway - 0.5, Self.exp + Self.leeway] {
            #expect(try refusal(of: token, at: now, within: 0) == VerificationFixture.refusal(of: token, at: now))
        }
        #expect(try refusal(of: token, at: VerificationFixture.now, within: .nan)?.isExpiry == true)
    }

    @Test func graceDoesNotWeakenVerify() throws {
        let verifier = try VerificationFixture.verifier()
        let token = try VerificationFixture.token()
        #expect(try refusal(of: token, at: Self.exp + 1000, by: verifier) == nil)
        #expect(try VerificationFixture.refusal(of: token, at: Self.exp + 1000, by: verifier)?.isExpiry == true)
    }

    @Test func tokenWithoutExpiryIsValid() throws {
        #expect(try refusal(of: VerificationFixture.token(changing: ["exp": nil]), at: Self.exp + 1e9) == nil)
    }

    /// In the grace, before it, and after it: what else is wrong with the token comes first.
    @Test(arguments: [VerificationFixture.now, exp + 1000, exp + 1e9])
    func otherFailuresAreKept(now: UnixTime) throws {
        func reason(_ token: String, by verifier: TokenVerifier? = nil) throws -> VerificationFailure.Code? {
            try refusal(of: token, at: now, by: verifier)?.reason
        }
        let good = try VerificationFixture.token()
        #expect(try reason(good + "AAAA") == .badSignature)
        #expect(try reason(good + "=") == .badEncoding)
        #expect(try reason("a.b") == .malformed)
        #expect(try reason(VerificationFixture.token(.es256)) == .algorithmNotAllowed)
        #expect(try reason(VerificationFixture.token(changing: ["iss": "other"])) == .unknownIssuer)
        #expect(try reason(VerificationFixture.token(changing: ["aud": "other"])) == .wrongAudience)
        #expect(try reason(VerificationFixture.token(changing: ["exp": "1800000600"])) == .badClaim)
        #expect(
            try reason(VerificationFixture.token(changing: ["nbf": .number(JSONNumber(Int(now.seconds) + 61))]))
                == .notYetValid
        )
        #expect(
            try reason(VerificationFixture.token(changing: ["iat": .number(JSONNumber(Int(now.seconds) + 61))]))
                == .issuedInFuture
        )
        #expect(try reason(VerificationFixture.token(header: ["crit": ["x"], "x": 1])) == .criticalExtension)
        let verifier = try VerificationFixture.verifier(required: ["exp", "role"])
        #expect(try reason(VerificationFixture.token(changing: ["role": nil]), by: verifier) == .missingClaim)
        #expect(try reason(VerificationFixture.token(changing: ["exp": nil]), by: verifier) == .missingClaim)
        verifier.use(nil, ofIssuer: 0)
        #expect(try reason(good, by: verifier) == .keysNotLoaded)
    }
}
