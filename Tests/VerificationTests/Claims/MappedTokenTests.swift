import Testing
import Verification

/// Tokens of an issuer whose claims are mapped, each signed with a real key.
struct MappedTokenTests {
    private static func verifier(
        _ places: [ClaimMapping.Field: [String]],
        prefix: String = "",
        audiences: [String] = ["the-app"],
        required: [String] = [],
        conditions: [ClaimCondition] = []
    ) throws -> TokenVerifier {
        let issuer = IssuerPolicy(
            issuer: VerificationFixture.issuer,
            audiences: audiences,
            algorithms: [.es256],
            keys: try VerificationFixture.keySet(for: .es256),
            mapping: ClaimMapping(places.mapValues { $0.compactMap { ClaimPlace($0) } }, rolesPrefix: prefix),
            conditions: conditions
        )
        return TokenVerifier(VerificationPolicy(issuers: [issuer], requiredClaims: required))
    }

    private static func principal(
        by verifier: TokenVerifier,
        changing: KeyValuePairs<String, JSONValue?>
    ) throws -> Principal {
        let token = try VerificationFixture.token(.es256, changing: changing)
        return try verifier.verify(Array(token.utf8), at: VerificationFixture.now)
    }

    private static func refusal(
        by verifier: TokenVerifier,
        changing: KeyValuePairs<String, JSONValue?>
    ) throws -> VerificationFailure? {
        try VerificationFixture.refusal(of: try VerificationFixture.token(.es256, changing: changing), by: verifier)
    }

    @Test func principalHasWhatIsMapped() throws {
        let verifier = try Self.verifier([
            .subject: ["/oid"], .roles: ["/realm_access/roles"], .scopes: ["scp"], .email: ["/emails/0"],
            .session: ["session_id"], .audience: ["client_id"],
        ])
        let principal = try Self.principal(
            by: verifier,
            changing: [
                "oid": "7f", "realm_access": ["roles": ["admin", "user"]], "scp": ["orders.read", "orders.write"],
                "emails": ["ann@shop.test"], "email": "other@evil.test", "session_id": "s9", "aud": nil,
                "client_id": "the-app",
            ]
        )
        #expect(principal.subject == "7f")
        #expect(principal.roles == ["admin", "user"])
        #expect(principal.scopes == ["orders.read", "orders.write"])
        #expect(principal.sessionID == "s9")
        #expect(principal.audiences == ["the-app"])
        #expect(principal.tokenID == "token-1")
        // Whoever asks for the usual names gets the same.
        #expect(principal.claimText("sub") == "7f")
        #expect(principal.claimText("role") == "admin,user" && principal.claimText("roles") == "admin,user")
        #expect(principal.claimText("scope") == "orders.read orders.write")
        #expect(principal.claimText("email") == "ann@shop.test")
        #expect(principal.claimText("sid") == "s9")
        #expect(principal.claimText("realm_access.roles") == "admin,user")
    }

    @Test func ownClaimsOfTheTokenDoNotStandInForMissingOnes() throws {
        let verifier = try Self.verifier([
            .roles: ["/realm_access/roles"], .scopes: ["/scp"], .email: ["/emails/0"], .session: ["/session_id"],
        ])
        let principal = try Self.principal(
            by: verifier,
            changing: ["role": "admin", "roles": ["admin"], "scope": "all", "email": "a@evil.test", "sid": "s"]
        )
        #expect(principal.subject == "alice")
        #expect(principal.roles.isEmpty && principal.scopes.isEmpty && principal.sessionID == nil)
        for name in ["role", "roles", "scope", "email", "sid"] { #expect(principal.claimText(name) == nil, "\(name)") }
    }

    @Test(arguments: [nil, JSONValue.null, "", 7, ["7f"], ["a": true]] as [JSONValue?])
    func tokenWithoutMappedSubjectIsRefused(value: JSONValue?) throws {
        let failure = try Self.refusal(by: Self.verifier([.subject: ["/oid"]]), changing: ["oid": value])
        let isThere = value != nil && value != .null && value != ""
        #expect(failure?.reason == (isThere ? .badClaim : .missingClaim))
        #expect(failure?.claim == "/oid")
    }

    @Test func requiredSubjectIsTheMappedOne() throws {
        let verifier = try Self.verifier([.subject: ["oid"]], required: ["sub"])
        #expect(try Self.refusal(by: verifier, changing: ["sub": nil, "oid": "7f"]) == nil)
    }

    @Test func audienceIsOnlyTheMappedOne() throws {
        let verifier = try Self.verifier([.audience: ["client_id"]])
        #expect(try Self.refusal(by: verifier, changing: ["client_id": "the-app", "aud": "x"]) == nil)
        #expect(try Self.refusal(by: verifier, changing: ["client_id": "other"])?.reason == .wrongAudience)
        #expect(try Self.refusal(by: verifier, changing: [:])?.reason == .wrongAudience)
    }

    @Test func conditionRefusesOtherTokensOfTheIssuer() throws {
        let condition = ClaimCondition(try #require(ClaimPlace("token_use")), ["access"])
        let verifier = try Self.verifier([:], conditions: [condition])
        #expect(try Self.refusal(by: verifier, changing: ["token_use": "access"]) == nil)
        for value in ["id" as JSONValue?, nil, 1] {
            let failure = try Self.refusal(by: verifier, changing: ["token_use": value])
            #expect(failure?.reason == .wrongValue && failure?.claim == "token_use")
        }
        #expect(
            try Self.refusal(by: verifier, changing: ["token_use": "id"])?.summary
                == "the claim token_use has no value that is accepted here"
        )
    }

    /// Nothing is read of a token whose signature is not good.
    @Test func signatureIsCheckedBeforeTheMapping() throws {
        let condition = ClaimCondition(try #require(ClaimPlace("token_use")), ["access"])
        let verifier = try Self.verifier([.subject: ["/oid"]], conditions: [condition])
        let stranger = try TokenSigner(SigningKey.generate(.p256), algorithm: .es256)
        let token = try stranger.sign(VerificationFixture.claims)
        #expect(try VerificationFixture.refusal(of: token, by: verifier)?.reason == .badSignature)
    }

    @Test func expiryIsStillTheLastCheck() throws {
        let verifier = try Self.verifier([.subject: ["oid"]])
        #expect(try Self.refusal(by: verifier, changing: ["oid": nil, "exp": 1])?.isExpiry == false)
        #expect(try Self.refusal(by: verifier, changing: ["oid": "a", "exp": 1])?.isExpiry == true)
    }

    @Test func tokensOfOtherIssuersAreReadAsUsual() throws {
        let mapped = try VerificationFixture.keySet(for: .es256)
        let policy = VerificationPolicy(issuers: [
            IssuerPolicy(
                issuer: "https://mapped.test",
                algorithms: [.es256],
                keys: mapped,
                mapping: ClaimMapping([.roles: ["/a"].compactMap { ClaimPlace($0) }])
            ),
            IssuerPolicy(issuer: VerificationFixture.issuer, algorithms: [.es256], keys: mapped),
        ])
        let principal = try Self.principal(by: TokenVerifier(policy), changing: ["a": "admin"])
        #expect(principal.roles == ["customer"] && principal.scopes == ["read", "write"])
    }
}
