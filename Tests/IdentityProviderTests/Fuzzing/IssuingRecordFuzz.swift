import TestSupport
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// The issuer's records in the store.
enum IssuingRecordFuzz {
    static let targets = [session, account, transaction, keyring, refreshToken]

    static let session = FuzzTarget(
        "session-record",
        seeds: [
            IssuerSession(
                id: "AAAAAAAAAAAAAAAAAAAAAA",
                subject: "alice",
                claims: ["email": "a@b.test", "role": "customer"],
                scopes: ["openid", "email"],
                clientID: "app",
                device: "a phone",
                provider: "apple",
                createdAt: 1_800_000_000.5,
                signedInAt: 1_799_999_500,
                authenticatedAt: 1_799_999_000,
                isProven: true,
                beganInBrowser: true,
                singleSignOn: "AAAA",
                former: FormerToken(json: ["iss": "https://id.test", "sid": "s", "jti": "t", "iat": 1_799_999_900]),
                lastUsedAt: 1_800_000_100,
                expiresAt: 1_800_009_000,
                confirmation: nil,
                family: RefreshFamily(key: [1, 2, 3], currentHash: [UInt8](repeating: 7, count: 32))
            ).json
        ],
        words: [
            #""v":1,"#, #""claims":{"sub":"x"},"#, "1e308", "-1", "null", #""cnf":{"jkt":"x"},"#, #""rotations":[],"#,
        ]
    ) { bytes in
        guard let (session, version) = IssuerSession.read(bytes) else { return false }
        try hold(!session.claims.members.contains { AccessTokenClaims.reserved.contains($0.name) }, "a reserved claim")
        guard version == .second else { return true }
        try hold(IssuerSession.read(session.json)?.session == session, "written again, it is another session")
        return true
    }

    static let account = FuzzTarget(
        "account-record",
        seeds: [
            AccountRecord(
                Account(
                    subject: "u-1",
                    role: "customer",
                    email: "a@b.test",
                    isEmailVerified: true,
                    name: "A B",
                    claims: ["tier": "gold"],
                    createdAt: 1_800_000_000
                ),
                links: [AccountRecord.Link(identity: .init(provider: .apple, subject: "001"), email: "a@b.test")]
            ).json
        ],
        words: [#""identities":[],"#, "null", "true", "false", "1e308", #""claims":{},"#]
    ) { bytes in
        guard let record = AccountRecord(json: bytes) else { return false }
        let again = AccountRecord(json: record.json)
        try hold(again?.account == record.account, "written again, it is another account")
        try hold(again?.links.map(\.email) == record.links.map(\.email), "written again, it has other addresses")
        return true
    }

    static let transaction = FuzzTarget(
        "sign-in-record",
        texts: [
            #"{"binding":"AQID","expires":1800000600,"after":"https://app.test/","apple":{"nonce":"n","verifier":"v","#
                + #""redirect":"https://app.test/cb"},"posted":{"provider":"apple","code":"c","name":"A"}}"#,
            #"{"binding":"AQID","expires":1800000600.5,"after":"x","posted":{"provider":"google","cancelled":true}}"#,
        ],
        words: [#""client":{"id":"app"},"#, "null", "1e308", #""google":{},"#, "true"]
    ) { bytes in
        guard let transaction = SignInTransaction(json: bytes) else { return false }
        try hold(SignInTransaction(json: transaction.json) == transaction, "written again, it is another sign-in")
        return true
    }

    /// RFC 8037 appendix A.1.
    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """

    static let keyring = {
        var seeds: [[UInt8]] = [Array(#"{"version":1,"keys":[]}"#.utf8)]
        if let key = try? SigningKey(pem: Array(privateKey.utf8)), let keyID = key.thumbprint {
            let kept = SigningKeyring.Key(keyID: keyID, key: key, createdAt: 1_800_000_000, activeFrom: 1_800_000_600)
            // An ignored member, so that not every change breaks the key.
            let note = Array(#""note":"\#(String(repeating: "n", count: 600))","#.utf8)
            if let ring = SigningKeyring(algorithm: .edDSA, keys: [kept]) {
                seeds.append([UInt8(ascii: "{")] + note + ring.json.dropFirst())
            }
        }
        return FuzzTarget(
            "key-ring-record",
            seeds: seeds,
            words: [#""active_from":null,"#, "1e308", "-1", #""kid":"x","#],
            quickInputs: 600
        ) { bytes in
            guard let ring = SigningKeyring(json: bytes, .edDSA) else { return false }
            try hold(SigningKeyring(json: ring.json, .edDSA)?.json == ring.json, "written again, it is another ring")
            return true
        }
    }()

    static let refreshToken = FuzzTarget(
        "refresh-token",
        texts: [String(repeating: "AQID", count: 21) + "BA", String(repeating: "_", count: 84) + "_w"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = RefreshToken(text) else { return false }
        try hold(token.text == text, "another text for the same token")
        try hold(RefreshToken(bytes: token.bytes) == token, "another token for the same bytes")
        return true
    }
}
