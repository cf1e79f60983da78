import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// What counts as the time of issue where a subject was revoked 100 s ago.
@Suite struct RevocationMarksTests {
    private func isRevoked(_ times: [String: Double]) throws -> Bool {
        let now = SampleTenant.now
        var claims: JSONObject = [
            "iss": .string(SampleTenant.issuer), "sub": "alice", "exp": .number(JSONNumber(Int(now.seconds) + 600)),
        ]
        for (name, time) in times { claims[name] = .number(JSONNumber(Int((now + time).seconds))) }
        let principal = try TokenVerifier(SampleTenant.tenant().authenticate.policy)
            .verify(Array(SampleTenant.token(of: claims).utf8), at: now)
        var set = RevocationSet()
        let entry = RevocationEntry(isWithdrawn: false, revokedAt: now - 100, expiresAt: now + 1000, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.subject("alice")))
        return set.isRevoked(RevocationMarks(principal), at: now)
    }

    @Test func tokenOfBeforeIsRevoked() throws {
        #expect(try isRevoked(["iat": -150]))
        #expect(try isRevoked(["iat": -100]))
        #expect(try isRevoked([:]))
        #expect(try !isRevoked(["iat": -99]))
    }

    /// An instance that had not heard of the revocation has refreshed it.
    @Test func refreshedTokenOfASignInBeforeIsRevoked() throws {
        #expect(try isRevoked(["iat": -50, "gatehouse_signed_in": -150]))
        #expect(try isRevoked(["iat": -150, "gatehouse_signed_in": -50]))
    }

    /// A provider may let somebody in whom it has known for days.
    @Test func tokenOfASignInAfterwardsIsGood() throws {
        #expect(try !isRevoked(["iat": -50, "gatehouse_signed_in": -90, "auth_time": -5000]))
        #expect(try !isRevoked(["iat": -50, "auth_time": -5000]))
    }
}
