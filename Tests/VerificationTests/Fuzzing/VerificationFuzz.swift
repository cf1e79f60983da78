import TestSupport
import Time

@testable import Verification

/// Tokens, keys and what servers say of them.
enum VerificationFuzz {
    static let targets = [token, keySet, pem, introspection, pointer, claimMapping, base64URL]

    private static let now = UnixTime(1_800_000_000)
    private static let secret = Array("a secret of the fuzz targets, which is long enough for HS256".utf8)

    /// A verifier for one issuer, and tokens that it takes.
    static let token = {
        var tokens: [[UInt8]] = []
        let claims: [JSONObject] = [
            ["iss": "https://id.test", "sub": "alice", "exp": 1_800_000_600, "aud": "app", "nbf": 1_799_999_999],
            [
                "iss": "https://id.test", "sub": "alice", "exp": 1_800_000_600, "aud": ["app", "b"],
                "cnf": ["jkt": "x"],
            ],
        ]
        let key = SigningKey(secret: secret)
        for claims in claims {
            if let text = try? TokenSigner(key, algorithm: .hs256).sign(claims) { tokens.append(Array(text.utf8)) }
        }
        let seeds = tokens
        return FuzzTarget("token", seeds: seeds, words: [".", "..", "=", "eyJhbGciOiJub25lIn0", "bnVsbA"]) { bytes in
            guard let unverified = try? UnverifiedToken(bytes) else {
                let keys = try KeySet(secret: secret, algorithms: [.hs256])
                let verifier = TokenVerifier(policy(keys))
                try hold((try? verifier.verify(bytes, at: now)) == nil, "verified, and not well formed")
                return false
            }
            try hold(bytes.filter { $0 == 0x2e }.count == 2, "well formed without three parts")
            let parts = bytes.split(separator: 0x2e, omittingEmptySubsequences: false)
            try hold(Base64URL.encode(unverified.payload).utf8.elementsEqual(parts[1]), "a payload in another spelling")
            let keys = try KeySet(secret: secret, algorithms: [.hs256])
            guard (try? TokenVerifier(policy(keys)).verify(bytes, at: now)) != nil else { return true }
            let isSeed = seeds.contains { seed in
                seed.split(separator: 0x2e).prefix(2).elementsEqual(parts.prefix(2)) && seed == bytes
            }
            try hold(isSeed, "a forged token is taken")
            return true
        }
    }()

    private static func policy(_ keys: KeySet) -> VerificationPolicy {
        VerificationPolicy(issuers: [IssuerPolicy(issuer: "https://id.test", algorithms: [.hs256], keys: keys)])
    }

    /// RFC 8037 appendix A.1.
    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """

    static let keySet = FuzzTarget(
        "key-set",
        texts: [
            #"{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMsIG9yIG1vcmU"}]}"#,
            // RFC 7517 appendix A.1 and RFC 8037 appendix A.2.
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
                + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"sig","kid":"1"},"#
                + #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#,
            #"{"keys":[{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]}"#,
        ],
        words: [
            #""kty":"RSA","#, #""use":"enc","#, #""key_ops":["verify"],"#, #""d":"AQ","#, #""alg":"none","#, "AAAA",
        ],
        quickInputs: 1000
    ) { bytes in
        guard let network = try? KeySet(jwks: bytes, origin: .url) else { return false }
        try hold(bytes.count <= KeySet.maximumLength, "longer than allowed")
        // The same document a second time is the same set.
        try hold((try? KeySet(jwks: bytes, origin: .url)) == network, "another set the second time")
        let verifier = TokenVerifier(
            VerificationPolicy(
                issuers: [IssuerPolicy(issuer: "https://id.test", algorithms: [.rs256, .es256, .edDSA], keys: network)]
            )
        )
        let unsigned = Array("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkLnRlc3QiLCJleHAiOjE5MDAwMDAwMDB9.AAAA".utf8)
        try hold((try? verifier.verify(unsigned, at: now)) == nil, "a token without a good signature is taken")
        return true
    }

    static let pem = FuzzTarget(
        "pem",
        texts: [privateKey, PEM.text(label: "PUBLIC KEY", [1, 2, 3]) + "text between\n" + PEM.text(label: "X", [])],
        words: ["-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n", "=", "\r\n", "-----"]
    ) { bytes in
        _ = try? KeySet(pem: bytes)
        _ = try? SigningKey(pem: bytes)
        guard let blocks = PEM.blocks(bytes) else { return false }
        // Labels can be odd; what is written again is of one line each.
        let text = blocks.map { PEM.text(label: $0.label, $0.content) }.joined()
        try hold(PEM.blocks(Array(text.utf8)) == blocks, "written again, they are other blocks")
        return true
    }

    static let introspection = FuzzTarget(
        "introspection-answer",
        texts: [
            #"{"active":true,"iss":"https://id.test","sub":"alice","exp":1800000600,"scope":"a b","aud":"app"}"#,
            #"{"active":true,"sub":"bob","exp":1800000600.5,"cnf":null,"token_type":"Bearer","aud":["app"]}"#,
            #"{"active":false}"#,
        ],
        words: [#""active":true,"#, #""active":false,"#, "null", "1e308", #""iss":"https://evil.test","#, #""exp":0,"#]
    ) { bytes in
        guard let answer = IntrospectionResponse(bytes) else { return false }
        let policy = IntrospectionPolicy(issuer: "https://id.test", audiences: ["app"])
        guard let principal = try? answer.principal(of: [1], policy, at: now) else { return true }
        guard case .object(let object)? = try? JSONParser.parse(bytes) else {
            throw FuzzFailure("a principal of what is no JSON object")
        }
        try hold(object["active"] == .bool(true), "a principal of a token that is not active")
        try hold(principal.claimText("iss") == "https://id.test", "a principal of another issuer")
        try hold(UnixTime(object["exp"]?.double ?? .infinity) + policy.leeway >= now, "a principal of an expired token")
        return true
    }

    static let pointer = FuzzTarget(
        "json-pointer",
        texts: ["", "/a", "/a/0/~1b~0", "/data//x/-"],
        words: ["~0", "~1", "~", "/", "/00", "/18446744073709551616", "\u{301}"]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), let pointer = JSONPointer(text) else { return false }
        try hold(pointer.text.utf8.elementsEqual(bytes), "another text")
        let document: JSONValue = ["a": [["/b~": 1], 2], "data": ["": ["x": [3]]]]
        _ = pointer.value(in: document)
        if bytes.isEmpty { try hold(pointer.value(in: document) == document, "not the whole document") }
        return true
    }

    static let base64URL = FuzzTarget("base64url", texts: ["", "AA", "AAA", "AAAA", "-_-_eyJhbGciOiJub25lIn0"]) {
        bytes in
        guard let decoded = Base64URL.decode(bytes) else { return false }
        try hold(Base64URL.encode(decoded).utf8.elementsEqual(bytes), "two spellings of the same bytes")
        return true
    }
}
