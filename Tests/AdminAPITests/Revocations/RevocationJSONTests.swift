import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AdminAPI

/// Revocations as the admin API reports them.
struct RevocationJSONTests {
    private func record(
        _ target: RevocationTarget,
        revokedAt: UnixTime = 1_800_000_000.25,
        expiresAt: UnixTime = .distantFuture,
        reason: String? = nil
    ) -> RevocationRecord {
        let revocation = Revocation(
            tenant: "app",
            target: target,
            revokedAt: revokedAt,
            expiresAt: expiresAt,
            reason: reason
        )
        return RevocationRecord(revocation, version: 1)
    }

    private func text(_ record: RevocationRecord) -> String { JSONWriter.text(of: RevocationJSON.json(record)) }

    @Test func tokenHasIssuerAndID() {
        #expect(
            text(record(.token(issuer: "https://id.test", tokenID: "t1"), expiresAt: 1_800_003_600, reason: "lost"))
                == #"{"tenant":"app","kind":"jti","id":"t1","issuer":"https://id.test","#
                + #""revoked_at":"2027-01-15T08:00:00.250Z","expires_at":"2027-01-15T09:00:00.000Z","reason":"lost"}"#
        )
    }

    @Test(arguments: [
        (RevocationTarget.session("s1"), #""kind":"session","id":"s1""#),
        (.subject("alice"), #""kind":"subject","id":"alice""#),
        (.signingInput(sha256: [1, 2, 3]), #""kind":"token""#), (.tenant, #""kind":"all""#),
    ])
    func otherTargetsHaveTheirKind(_ target: RevocationTarget, _ members: String) {
        let isByTime = target == .subject("alice") || target == .tenant
        let from = isByTime ? #""accepted_from":"2027-01-15T08:00:01.000Z","# : ""
        #expect(
            text(record(target))
                == #"{"tenant":"app",\#(members),"revoked_at":"2027-01-15T08:00:00.250Z",\#(from)"expires_at":null}"#
        )
    }

    @Test(arguments: ["Revocation", "WithdrawnRevocation"])
    func everyKindIsDocumented(_ name: String) throws {
        let targets: [RevocationTarget] = [
            .token(issuer: "https://id.test", tokenID: "t1"), .session("s1"), .subject("alice"),
            .signingInput(sha256: [1, 2, 3]), .tenant,
        ]
        var restored = record(.tenant)
        restored.note = .restored
        let kinds = (targets.map { record($0) } + [restored]).map { RevocationJSON.json($0).object?["kind"] }
        let schemas = AdminDocument.json(version: "1")["components"]?.object?["schemas"]?.object
        let properties = schemas?[name]?.object?["properties"]?.object
        let described = try #require(properties?["kind"]?.object?["enum"]?.array)
        #expect(described.count == kinds.count)
        for kind in kinds { #expect(described.contains { $0 == kind }, "\(kind?.string ?? "none")") }
    }

    @Test func withdrawnRevocationHasNoExpiry() {
        let json = RevocationJSON.withdrawn(record(.session("s1"), expiresAt: 1_800_003_600))
        #expect(json.object?["expires_at"] == nil)
        #expect(json.object?["revoked_at"] == "2027-01-15T08:00:00.250Z")
    }

    /// The expiry comes from unverified tokens.
    @Test(arguments: [1e300, 253_402_300_800, .distantFuture, UnixTime(.greatestFiniteMagnitude)])
    func timesBeyondTheCalendarAreNull(_ time: UnixTime) {
        #expect(RevocationJSON.json(record(.tenant, expiresAt: time)).object?["expires_at"] == .null)
    }

    @Test func timesAtTheEdgesAreText() {
        let last = RevocationJSON.json(record(.tenant, expiresAt: 253_402_300_799.5)).object
        #expect(last?["expires_at"] == "9999-12-31T23:59:59.500Z")
        let first = RevocationJSON.json(record(.tenant, revokedAt: -1e300, expiresAt: -1)).object
        #expect(first?["revoked_at"] == "1970-01-01T00:00:00.000Z")
        #expect(first?["expires_at"] == "1970-01-01T00:00:00.000Z")
    }
}
