import Testing

@testable import Verification

@Suite struct KeySelectionTests {
    private func set(_ keys: [(SignatureAlgorithm, kid: String?)]) throws -> KeySet {
        let elements = try keys.map { algorithm, keyID in
            var jwk = try #require(try VerificationFixture.key(for: algorithm).publicJWK())
            jwk["kid"] = keyID.map(JSONValue.string)
            return JSONValue.object(jwk)
        }
        let set: JSONObject = ["keys": .array(elements)]
        return try KeySet(jwks: JSONWriter.bytes(of: set))
    }

    private func refusal(_ keys: KeySet, _ algorithm: SignatureAlgorithm, _ keyID: String?) -> VerificationFailure.Code?
    {
        do throws(VerificationFailure) {
            _ = try keys.candidates(for: algorithm, keyID: keyID)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func keyIDChoosesItsKey() throws {
        let keys = try set([(.es256, "a"), (.es256, "b"), (.es384, "c")])
        #expect(try keys.candidates(for: .es256, keyID: "b") == [1])
        #expect(refusal(keys, .es256, "c") == .noFittingKey)
    }

    @Test func unknownKeyIDHasNoFallback() throws {
        let keys = try set([(.es256, "a"), (.es256, nil)])
        #expect(refusal(keys, .es256, "x") == .unknownKey)
        #expect(refusal(keys, .es256, "") == .unknownKey)
    }

    @Test func keysWithoutIDsIgnoreTheTokensID() throws {
        #expect(try set([(.es256, nil)]).candidates(for: .es256, keyID: "x") == [0])
        #expect(try KeySet(secret: VerificationFixture.secret).candidates(for: .hs256, keyID: "../../dev/null") == [0])
    }

    @Test func everyFittingKeyIsTriedWithoutKeyID() throws {
        let keys = try set([(.es256, "a"), (.es384, "b"), (.es256, nil)])
        #expect(try keys.candidates(for: .es256, keyID: nil) == [0, 2])
        #expect(refusal(keys, .edDSA, nil) == .noFittingKey)
    }

    @Test func ambiguousKeyIDIsRefused() throws {
        let keys = try set([(.es256, "a"), (.es256, "a"), (.es384, "a")])
        #expect(refusal(keys, .es256, "a") == .ambiguousKey)
        #expect(try keys.candidates(for: .es384, keyID: "a") == [2])
    }

    @Test func triesAreBounded() throws {
        #expect(refusal(try set(Array(repeating: (.es256, nil), count: 16)), .es256, nil) == nil)
        #expect(refusal(try set(Array(repeating: (.es256, nil), count: 17)), .es256, nil) == .ambiguousKey)
    }
}
