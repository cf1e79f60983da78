import Foundation
import Testing
import Time
import Verification

/// The code in the article *Verifying a token* is this code.
@Suite struct DocumentedExampleTests {
    private func answer(_ token: [UInt8], jwks: [UInt8], now: UnixTime) throws -> String {
        // example
        let policy = VerificationPolicy(
            issuers: [
                IssuerPolicy(
                    issuer: "https://id.example.com",
                    audiences: ["shop-api"],
                    algorithms: [.es256],
                    keys: try KeySet(jwks: jwks)
                )
            ],
            requiredClaims: ["sub", "exp"]
        )
        let verifier = TokenVerifier(policy)

        do {
            let caller = try verifier.verify(token, at: now)
            return "\(caller.subject ?? "somebody") with roles \(caller.roles)"
        } catch {
            // A closed set of reasons, and a sentence that quotes nothing of the token.
            return "refused: \(error.reason), \(error.summary)"
        }
        // end of the example
    }

    @Test func documentedExampleVerifiesAndRefuses() throws {
        let key = try SigningKey.generate(.p256)
        let jwk = try #require(key.publicJWK(algorithm: .es256))
        let jwks = JSONWriter.bytes(of: .object(["keys": [.object(jwk)]]))
        let claims: JSONObject = [
            "iss": "https://id.example.com", "aud": "shop-api", "sub": "alice", "exp": 2_000_000_000, "role": "admin",
        ]
        let token = Array(try TokenSigner(key, algorithm: .es256).sign(claims).utf8)
        #expect(try answer(token, jwks: jwks, now: 1_900_000_000) == #"alice with roles ["admin"]"#)
        #expect(try answer(token, jwks: jwks, now: 2_100_000_000).hasPrefix("refused: expired, "))
    }

    @Test func exampleIsTheDocumentsText() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let article = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/Verification/Verification.docc/VerifyingAToken.md")
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasSuffix("// example") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// end of the example") })
        let example = lines[(start + 1)..<end].map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : $0 }
        let text = String(decoding: try Data(contentsOf: article), as: UTF8.self)
        let isThere = text.contains("```swift\n\(example.joined(separator: "\n"))\n```\n")
        #expect(isThere)
    }
}
