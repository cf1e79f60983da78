import Testing
import Verification

@Suite struct HeaderTests {
    private func reason(header: JSONObject) throws -> VerificationFailure.Code? {
        try VerificationFixture.refusal(of: VerificationFixture.token(header: header))?.reason
    }

    private func reason(rawHeader: String) throws -> VerificationFailure.Code? {
        let payload = JSONWriter.text(of: .object(VerificationFixture.claims))
        return try VerificationFixture.refusal(of: VerificationFixture.rawToken(header: rawHeader, payload: payload))?
            .reason
    }

    @Test func handmadeSignatureIsValid() throws {
        #expect(try reason(rawHeader: "{ \"alg\" :\r\n\t\"HS256\" }") == nil)
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", "hs256", "HS256 ", "", "ES256K", "A256GCM"])
    func algorithmsThatAreNotSupportedAreRefused(name: String) throws {
        #expect(try reason(rawHeader: #"{"alg":"\#(name)"}"#) == .unsupportedAlgorithm)
    }

    @Test(arguments: [
        "[]", "\"x\"", "{}", "", #"{"alg":1}"#, #"{"alg":null}"#, #"{"alg":["HS256"]}"#,
        #"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256","\u0061lg":"HS256"}"#, #"{"alg":"HS256","kid":7}"#,
        #"{"alg":"HS256","typ":null}"#, #"{"alg":"HS256","x":{"a":1,"a":2}}"#, #"{"alg":"HS256"}}"#,
    ])
    func headerMustBeAStrictObject(text: String) throws {
        #expect([.badHeader, .malformed].contains(try reason(rawHeader: text)))
    }

    @Test(arguments: [["nope"], [], [nil], "exp", ["exp2"], ["b64", "b64"], nil] as [JSONValue])
    func criticalMembersAreRefused(crit: JSONValue) throws {
        #expect(try reason(header: ["crit": crit, "nope": "foo"]) == .criticalExtension)
    }

    @Test(arguments: [false, true] as [JSONValue])
    func unencodedPayloadsAreRefused(b64: JSONValue) throws {
        #expect(try reason(header: ["b64": b64]) == .unencodedPayload)
    }

    @Test(arguments: ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "application/jwt", "access"])
    func typesOfAccessTokensAreAccepted(type: String) throws {
        #expect(try reason(header: ["typ": .string(type)]) == nil)
    }

    @Test(arguments: [
        "dpop+jwt", "logout+jwt", "secevent+jwt", "application/logout+jwt", "Logout+JWT", "JWE", "JOSE+JSON",
        "token-introspection+jwt", "oauth-authz-req+jwt", "kb+jwt", "dc+sd-jwt",
    ])
    func typesOfOtherTokensAreRefused(type: String) throws {
        #expect(try reason(header: ["typ": .string(type)]) == .wrongType)
    }

    /// A logout token or a security event, although its header does not say so.
    @Test func tokenThatSaysWhatHasHappenedIsRefused() throws {
        let reason = { (events: JSONValue) in
            try VerificationFixture.refusal(of: VerificationFixture.token(changing: ["events": events]))?.reason
        }
        let logout = "http://schemas.openid.net/event/backchannel-logout"
        #expect(try reason(.object([logout: [:]])) == .wrongType)
        #expect(try reason(.object(["a": 1, "urn:example:event": [:]])) == .wrongType)
        // An app's own claim of this name.
        #expect(try reason(["concert", "fair"]) == nil)
        #expect(try reason(.object(["concert": 1])) == nil)
        #expect(try reason(.object([:])) == nil)
    }

    /// As the tenant's own issuer is trusted: ID tokens and access tokens are signed with the same keys.
    private func reasonOfTyped(_ header: JSONObject, algorithm: SignatureAlgorithm = .es256) throws
        -> VerificationFailure.Code?
    {
        let typed = IssuerPolicy(
            issuer: VerificationFixture.issuer,
            audiences: ["the-app"],
            algorithms: [.es256],
            keys: try VerificationFixture.keySet(for: .es256),
            requiresAccessTokenType: true
        )
        // Another policy of the same issuer that asks for less is not what counts for this algorithm.
        let untyped = IssuerPolicy(
            issuer: VerificationFixture.issuer,
            algorithms: [.hs256],
            keys: try VerificationFixture.keySet(for: .hs256)
        )
        let verifier = TokenVerifier(VerificationPolicy(issuers: [typed, untyped]))
        return try VerificationFixture.refusal(of: VerificationFixture.token(algorithm, header: header), by: verifier)?
            .reason
    }

    @Test(arguments: ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+Jwt"])
    func typedIssuerAcceptsAccessTokens(type: String) throws {
        #expect(try reasonOfTyped(["typ": .string(type)]) == nil)
    }

    @Test(arguments: [
        "JWT", "jwt", "application/jwt", "access", "", "at", "at+jwtx", "x+at+jwt", "at+jwt ", "text/at+jwt",
        "application/application/at+jwt", "logout+jwt",
    ])
    func typedIssuerRefusesOtherTypes(type: String) throws {
        #expect(try reasonOfTyped(["typ": .string(type)]) == .wrongType)
    }

    @Test func typedIssuerRefusesMissingType() throws {
        let header = #"{"alg":"HS256"}"#
        let token = try VerificationFixture.rawToken(
            header: header,
            payload: JSONWriter.text(of: .object(VerificationFixture.claims))
        )
        let keys = try VerificationFixture.keySet(for: .hs256)
        for isTyped in [false, true] {
            let policy = IssuerPolicy(
                issuer: VerificationFixture.issuer,
                algorithms: [.hs256],
                keys: keys,
                requiresAccessTokenType: isTyped
            )
            let verifier = TokenVerifier(VerificationPolicy(issuers: [policy]))
            #expect(try VerificationFixture.refusal(of: token, by: verifier)?.reason == (isTyped ? .wrongType : nil))
        }
    }

    @Test func otherIssuersNeedNoType() throws {
        #expect(try reasonOfTyped(["typ": "JWT"], algorithm: .hs256) == nil)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt"])
    func nestedTokensAreRefused(content: String) throws {
        #expect(try reason(header: ["cty": .string(content)]) == .wrongType)
    }

    @Test func keyInTheHeaderIsIgnored() throws {
        let attacker = try SigningKey.generate(.p256)
        let jwk = try #require(attacker.publicJWK(algorithm: .es256))
        let signer = try TokenSigner(attacker, algorithm: .es256)
        let header: JSONObject = [
            "jwk": .object(jwk), "jku": "https://attacker.example/jwks.json", "x5u": "https://attacker.example/x",
            "x5c": ["AAAA"],
        ]
        let token = try signer.sign(VerificationFixture.claims, header: header)
        #expect(
            try VerificationFixture.refusal(of: token, by: VerificationFixture.verifier(.es256))?.reason
                == .badSignature
        )
        #expect(
            try VerificationFixture.refusal(
                of: VerificationFixture.token(.es256, header: header),
                by: VerificationFixture.verifier(.es256)
            ) == nil
        )
    }
}
