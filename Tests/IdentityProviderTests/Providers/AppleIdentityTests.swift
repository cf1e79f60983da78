import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct AppleIdentityTests {
    private static let now = SignedByProviders.now
    private static let rawNonce = "n-0S6_WzA2Mj"
    /// Of the raw nonce, by another program.
    private static let nonceHash: JSONValue = "0823a09b54cb9381561068b00aaf4e539b3f54604631d3e6a820879b6b04cc19"

    /// Of no bytes at all (FIPS 180-4).
    private static let emptyHash: JSONValue = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func check(
        _ changes: JSONObject,
        nonce raw: String? = rawNonce,
        _ rule: AppleSignIn.Nonce = .required
    ) async throws -> CheckedIDToken {
        let token = try SignedByProviders.apple(
            SignedByProviders.appleClaims(["nonce": Self.nonceHash]).changed(changes)
        )
        return try await ProviderChecks.example(rule).appleIdentity(token, rawNonce: raw, at: Self.now)
    }

    private func refusal(
        _ changes: JSONObject,
        nonce raw: String? = rawNonce,
        _ rule: AppleSignIn.Nonce = .required
    ) async throws -> EndpointRefusal {
        let token = try SignedByProviders.apple(
            SignedByProviders.appleClaims(["nonce": Self.nonceHash]).changed(changes)
        )
        let checks = try ProviderChecks.example(rule)
        return try await providerRefusal {
            try await checks.appleIdentity(token, rawNonce: raw, at: Self.now)
        }
    }

    @Test func validTokenGivesIdentity() async throws {
        let changes: JSONObject = [
            "email": "ann@example.org", "email_verified": "true", "is_private_email": "false",
            "aud": "org.example.driver",
        ]
        let token = try SignedByProviders.apple(
            SignedByProviders.appleClaims(["nonce": Self.nonceHash]).changed(changes)
        )
        let checked = try await ProviderChecks.example().appleIdentity(token, rawNonce: Self.rawNonce, at: Self.now)
        #expect(
            checked.identity
                == ProviderIdentity(
                    provider: .apple,
                    subject: "001234.abcdef.0815",
                    email: "ann@example.org",
                    isEmailVerified: true
                )
        )
        #expect(checked.expiresAt == Self.now + 600)
        let signed = token.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(checked.signingInputSHA256 == SHA256.digest(Array(signed.utf8)))
    }

    @Test(
        arguments: [
            ("true", "false", true, false), ("false", "true", false, true), (true, true, true, true),
            (false, false, false, false), ("TRUE", "yes", false, false), (1, 1, false, false), (nil, nil, false, false),
        ] as [(JSONValue, JSONValue, Bool, Bool)]
    )
    func flagsMayBeStringsOrBooleans(verified: JSONValue, isPrivate: JSONValue, isVerified: Bool, isRelay: Bool)
        async throws
    {
        let changes: JSONObject = ["email": "a@example.org", "email_verified": verified, "is_private_email": isPrivate]
        let identity = try await check(changes).identity
        #expect(identity.isEmailVerified == isVerified)
        #expect(identity.isPrivateEmail == isRelay)
    }

    @Test(arguments: ["dpdcnf87nu@privaterelay.appleid.com", "dpdcnf87nu@PrivateRelay.AppleID.com"])
    func relayAddressIsRecognizedByDomain(email: String) async throws {
        let identity = try await check(["email": .string(email), "email_verified": true]).identity
        #expect(identity.isPrivateEmail)
        #expect(identity.email == email)
    }

    @Test(arguments: [
        "a@b.example,c@d.example", "a,b@c.example", "<a@b.example", "\"a\"@b.example", "a:b@c.example", "a@@b.example",
        "a b@c.example", "a@b\r\nX-Evil: 1", "@b.example", "a@", "a@b..c", "",
        "Ann <a@b.example>", "a@b_c.example", "plain", "ä@example.org", "a@" + String(repeating: "b", count: 300),
    ])
    func invalidEmailIsOmitted(email: String) async throws {
        let identity = try await check(["email": .string(email), "email_verified": true, "is_private_email": true])
            .identity
        #expect(identity.email == nil)
        #expect(!identity.isEmailVerified)
        #expect(!identity.isPrivateEmail)
        #expect(identity.subject == "001234.abcdef.0815")
    }

    // MARK: Nonce

    @Test func requiredNonceMustMatch() async throws {
        #expect(try await check([:]).identity.subject == "001234.abcdef.0815")
        let table: [(JSONObject, String?, String)] = [
            ([:], nil, "the token has a nonce, and the request has none"),
            (["nonce": nil], Self.rawNonce, "the request has a nonce, and the token has none"),
            (["nonce": nil], nil, "there is no nonce, neither in the token nor in the request"),
            (
                ["nonce": nil, "nonce_supported": false], nil,
                "there is no nonce, neither in the token nor in the request"
            ),
            ([:], "another", Self.mismatch), ([:], "", Self.mismatch),
            (["nonce": Self.emptyHash], "", Self.mismatch),
            (["nonce": .string(Self.rawNonce)], Self.rawNonce, Self.mismatch),
            (["nonce": .string(Self.nonceHash.string?.uppercased() ?? "")], Self.rawNonce, Self.mismatch),
            (["nonce": 1], Self.rawNonce, Self.mismatch), (["nonce": [Self.nonceHash]], Self.rawNonce, Self.mismatch),
        ]
        for (changes, raw, problem) in table {
            let refusal = try await refusal(changes, nonce: raw)
            #expect(refusal == .invalidToken("Apple's identity token is refused: \(problem)"))
        }
    }

    private static let mismatch = "the token's nonce is not the lower-case hexadecimal SHA-256 of the request's"

    @Test func optionalNonceOnOneSideMustBeOnBoth() async throws {
        #expect(try await check(["nonce": nil], nonce: nil, .optional).identity.subject == "001234.abcdef.0815")
        #expect(try await check([:], .optional).identity.subject == "001234.abcdef.0815")
        let table: [(JSONObject, String?)] = [([:], nil), (["nonce": nil], Self.rawNonce), ([:], "another"), ([:], "")]
        for (changes, raw) in table {
            #expect(try await refusal(changes, nonce: raw, .optional).code == .invalidToken)
        }
    }

    // MARK: Bad tokens

    @Test(
        arguments: [
            (["aud": "org.example.other"], "its audience is no client of this tenant"),
            (["aud": ["org.example.rider", "org.example.other"]], "its audience is no client of this tenant"),
            (["aud": ["org.example.rider", "org.example.driver"]], "its audience is no client of this tenant"),
            (
                ["aud": ["org.example.rider", "org.example.driver"], "azp": "x"],
                "its audience is no client of this tenant"
            ),
            (["aud": []], "its audience is no client of this tenant"),
            (["iss": "https://accounts.google.com"], "the token's issuer is not trusted here"),
            (["iss": "https://appleid.apple.com/"], "the token's issuer is not trusted here"),
            (["sub": nil], "the claim sub is required and missing"), (["sub": ""], "its sub is missing or malformed"),
            (["sub": "a\r\nb"], "its sub is missing or malformed"), (["sub": " a"], "its sub is missing or malformed"),
            (["sub": .string(String(repeating: "a", count: 256))], "its sub is missing or malformed"),
            (["exp": nil], "the claim exp is required and missing"),
            (["iat": 1_800_000_100], "the token was issued in the future"),
        ] as [(JSONObject, String)]
    )
    func invalidTokenIsRefusedWithReason(changes: JSONObject, reason: String) async throws {
        #expect(try await refusal(changes) == .invalidToken("Apple's identity token is refused: \(reason)"))
    }

    @Test func longestSubjectIsAccepted() async throws {
        let subject = String(repeating: "a", count: 255)
        #expect(try await check(["sub": .string(subject)]).identity.subject == subject)
    }

    @Test func severalAudiencesNeedAuthorizedParty() async throws {
        let changes: JSONObject = ["aud": ["org.example.rider", "org.example.driver"], "azp": "org.example.rider"]
        #expect(try await check(changes).identity.subject == "001234.abcdef.0815")
    }

    @Test func expiredTokenHasItsOwnCode() async throws {
        let refusal = try await refusal(["exp": 1_799_999_900])
        #expect(refusal.code == .tokenExpired)
        #expect(refusal.status == 401)
        #expect(try await self.refusal(["exp": 1_799_999_900, "aud": "org.example.other"]).code == .invalidToken)
    }

    @Test func wronglySignedTokenIsRefused() async throws {
        let claims = SignedByProviders.appleClaims(["nonce": Self.nonceHash])
        let good = try SignedByProviders.apple(claims)
        let thumbprint = try #require(SignedByProviders.appleKey?.thumbprint)
        let forged = try TokenSigner(#require(SignedByProviders.googleKey), algorithm: .rs256, keyID: thumbprint)
            .sign(claims)
        let symmetric = try TokenSigner(SigningKey(secret: Array(thumbprint.utf8)), algorithm: .hs256).sign(claims)
        let parts = good.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(parts[1])."
        let table = [
            forged: "the token's signature is not good",
            try SignedByProviders.google(claims): "the token names a key that is not in the issuer's key set",
            symmetric: "the token's algorithm is not allowed for its issuer",
            none: "the token is not a compact JWS of three parts", "": "the token is not a compact JWS of three parts",
            good + ".": "the token is not a compact JWS of three parts",
            try SignedByProviders.sign(claims, SignedByProviders.appleKey, header: ["typ": "logout+jwt"]):
                "its type is a different one",
        ]
        let checks = try ProviderChecks.example()
        for (token, reason) in table {
            let refusal = try await providerRefusal {
                try await checks.appleIdentity(token, rawNonce: Self.rawNonce, at: Self.now)
            }
            #expect(refusal == .invalidToken("Apple's identity token is refused: \(reason)"))
        }
    }

    @Test func missingKeysAreUnavailable() async throws {
        for problem in [ProviderTokenProblem.keysUnavailable, .refused(.keysNotLoaded)] {
            let checks = try ProviderChecks.example(tokens: KeylessTokens(problem: problem))
            let refusal = try await providerRefusal {
                try await checks.appleIdentity("a.b.c", rawNonce: Self.rawNonce, at: Self.now)
            }
            #expect(refusal.code == .backendUnavailable)
            #expect(refusal.status == 503)
            #expect(refusal.retryAfterSeconds == 2)
        }
    }

    @Test func unconfiguredProviderIsBadRequest() async throws {
        let checks = ProviderChecks(
            apple: nil,
            google: nil,
            who: nil,
            tokens: try SignedByProviders(),
            requests: ScriptedRequests()
        )
        let refusals = [
            try await providerRefusal { try await checks.appleIdentity("", rawNonce: nil, at: Self.now) },
            try await providerRefusal { try await checks.appleEvent([], at: Self.now) },
            try await providerRefusal { try await checks.googleIdentity(idToken: "", at: Self.now) },
            try await providerRefusal { try await checks.googleIdentity(accessToken: "a", at: Self.now) },
        ]
        for refusal in refusals { #expect(refusal.code == .badRequest) }
    }
}
