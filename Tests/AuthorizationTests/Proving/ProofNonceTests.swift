import Authorization
import Tenants
import Testing
import Time
import UpstreamTestSupport
import Verification

/// Nonces of the gateway's own (RFC 9449 section 9).
struct ProofNonceTests {
    private let door: ProvingDoor
    private let nonces: ProofNonces

    init() throws {
        door = try ProvingDoor(ProofRules(nonce: true))
        nonces = try #require(door.door.tenants[0].proving?.nonces)
    }

    private func answer(_ nonce: String?, jti: String = "n", at now: UnixTime = Door.now) async throws -> Door.Answer {
        let token = try door.token()
        let proof = try door.proof(
            for: token,
            changing: [
                "jti": .string(jti), "nonce": nonce.map(JSONValue.string), "iat": .number(JSONNumber(Int(now.seconds))),
            ]
        )
        return try await door.answer(ProvingDoor.lines(token, proof), at: now)
    }

    private func offered(_ refusal: Refusal?) throws -> String {
        let lines = String(decoding: try #require(refusal).lines, as: UTF8.self)
        let first = try #require(lines.split(separator: "\r\n").first)
        return String(try #require(first.split(separator: " ").last))
    }

    @Test func aProofWithoutOneGetsOne() async throws {
        let refusal = try await answer(nil).refusal
        #expect(refusal?.proofError == .nonceNeeded)
        #expect(refusal?.code == .invalidToken)
        let nonce = try offered(refusal)
        #expect(nonces.isGood(nonce, at: Door.now))
        #expect(try await answer(nonce).grant != nil)
        #expect(door.door.circumstances.freshNonce == nil)
    }

    @Test func aRequestWithoutAProofGetsOneToo() async throws {
        let refusal = try await door.refusal(ProvingDoor.lines(try door.token()))
        #expect(refusal?.proofError == .invalidProof)
        #expect(nonces.isGood(try offered(refusal), at: Door.now))
    }

    @Test func oneThatIsForgedOrTooOld() async throws {
        let old = nonces.make(at: Door.now - 301)
        for nonce in [ProofNonces().make(at: Door.now), old, "x", ""] {
            #expect(try await answer(nonce).refusal?.proofError == .nonceNeeded)
        }
        #expect(door.settled == 0)
    }

    @Test func oneThatWillSoonBeTooOldIsFollowedByAnother() async throws {
        let nonce = nonces.make(at: Door.now)
        #expect(try await answer(nonce, jti: "a", at: Door.now + 150).grant != nil)
        #expect(door.door.circumstances.freshNonce == nil)
        #expect(try await answer(nonce, jti: "b", at: Door.now + 200).grant != nil)
        let fresh = try #require(door.door.circumstances.freshNonce)
        #expect(nonces.isGood(fresh, at: Door.now + 500))
    }
}
