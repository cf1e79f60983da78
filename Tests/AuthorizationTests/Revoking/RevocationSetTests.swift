import Authorization
import Store
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState

/// What a tenant's revocations say of a caller.
struct RevocationSetTests {
    private static let now = RequestPipeline.now

    private func marks(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> RevocationMarks {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let token = try RequestPipeline.token(changes)
        let caller = try #require(pipeline.get("/", token: token).grant?.caller)
        return caller.marks
    }

    private func set(
        _ target: RevocationTarget,
        revokedAt: UnixTime = now,
        expiresAt: UnixTime = .distantFuture
    ) -> RevocationSet {
        var set = RevocationSet()
        let entry = RevocationEntry(revokedAt: revokedAt, expiresAt: expiresAt, version: 1)
        _ = set.apply(entry, for: RevocationDigest(target))
        return set
    }

    @Test func tokenIsRevokedByIssuerAndID() throws {
        let caller = try marks(["jti": "t1"])
        #expect(set(.token(issuer: RequestPipeline.issuer, tokenID: "t1")).isRevoked(caller, at: Self.now))
        #expect(!set(.token(issuer: "https://other.test", tokenID: "t1")).isRevoked(caller, at: Self.now))
        #expect(!set(.token(issuer: RequestPipeline.issuer, tokenID: "t2")).isRevoked(caller, at: Self.now))
        #expect(!set(.token(issuer: RequestPipeline.issuer + "t", tokenID: "1")).isRevoked(caller, at: Self.now))
    }

    @Test func tokenWithoutIDIsRevokedByItsSigningInput() throws {
        let token = try RequestPipeline.token()
        let unverified = try UnverifiedToken(Array(token.utf8))
        let sha256 = unverified.signingInputSHA256(in: Array(token.utf8).span)
        let caller = try marks()
        #expect(set(.signingInput(sha256: sha256)).isRevoked(caller, at: Self.now))
        #expect(!set(.signingInput(sha256: sha256)).isRevoked(try marks(["jti": "t1"]), at: Self.now))
        #expect(!set(.signingInput(sha256: sha256)).isRevoked(try marks(["x": 1]), at: Self.now))
    }

    @Test func emptyIDsRevokeNothing() throws {
        let caller = try marks(["jti": "", "sid": ""])
        #expect(!set(.token(issuer: RequestPipeline.issuer, tokenID: "")).isRevoked(caller, at: Self.now))
        #expect(!set(.session("")).isRevoked(caller, at: Self.now))
    }

    @Test func sessionIsRevokedWheneverItsTokenWasIssued() throws {
        let caller = try marks(["sid": "s1", "iat": .number(JSONNumber(Int(Self.now.seconds) + 30))])
        #expect(set(.session("s1"), revokedAt: Self.now - 100).isRevoked(caller, at: Self.now))
        #expect(!set(.session("s2")).isRevoked(caller, at: Self.now))
        #expect(!set(.subject("s1")).isRevoked(caller, at: Self.now))
    }

    @Test(arguments: [RevocationTarget.subject("alice"), .tenant])
    func subjectAndTenantAreRevokedForEarlierTokens(_ target: RevocationTarget) throws {
        let before = try marks(["iat": .number(JSONNumber(Int(Self.now.seconds) - 1))])
        let same = try marks(["iat": .number(JSONNumber(Int(Self.now.seconds)))])
        let after = try marks(["iat": .number(JSONNumber(Int(Self.now.seconds) + 1))])
        let untold = try marks()
        let set = set(target, revokedAt: Self.now + 0.25)
        #expect(set.isRevoked(before, at: Self.now))
        #expect(set.isRevoked(same, at: Self.now), "issued in the second of the revocation, it may have been before")
        #expect(!set.isRevoked(after, at: Self.now))
        #expect(set.isRevoked(untold, at: Self.now))
    }

    @Test func otherSubjectsAreNotRevoked() throws {
        #expect(!set(.subject("bob")).isRevoked(try marks(), at: Self.now))
    }

    @Test func revocationEndsWithItsTime() throws {
        let set = set(.subject("alice"), expiresAt: Self.now + 10)
        #expect(set.isRevoked(try marks(), at: Self.now + 9))
        #expect(!set.isRevoked(try marks(), at: Self.now + 10))
    }

    @Test func mergeKeepsRevocationsInForce() {
        var set = RevocationSet()
        var model: [RevocationDigest: RevocationEntry] = [:]
        var random = SplitMix64(seed: 0x5e7)
        for version in 1...9000 {
            let digest = RevocationDigest(.session("\(random.below(4000))"))
            let entry = RevocationEntry(
                isWithdrawn: random.oneIn(4),
                revokedAt: 0,
                expiresAt: UnixTime(Double(random.below(200))),
                version: UInt64(version)
            )
            _ = set.apply(entry, for: digest)
            model[digest] = entry
            if random.oneIn(1000) { set.merge(at: 50, settled: UInt64(min(version, 8000))) }
        }
        set.merge(at: 100, settled: 8000)
        var left = 0
        for (digest, entry) in model {
            let stays = 100 < entry.expiresAt && (!entry.isWithdrawn || entry.version > 8000)
            #expect(set[digest] == (stays ? entry : nil))
            if stays, !entry.isWithdrawn { left += 1 }
        }
        #expect(set.count == left)
    }

    @Test func countIsOfRevocationsInForce() {
        var set = RevocationSet()
        let digest = RevocationDigest(.session("s"))
        var counts: [Int] = []
        var taken: [Bool] = []
        for entry in [
            RevocationEntry(revokedAt: 0, expiresAt: 9, version: 1),
            RevocationEntry(revokedAt: 1, expiresAt: 9, version: 2),
            RevocationEntry(isWithdrawn: true, revokedAt: 1, expiresAt: 9, version: 3),
            RevocationEntry(revokedAt: 1, expiresAt: 9, version: 2),
        ] {
            taken.append(set.apply(entry, for: digest))
            counts.append(set.count)
        }
        #expect(taken == [true, true, true, false])
        #expect(counts == [1, 1, 0, 0])
    }
}
