import NIOHTTP1
import TestSupport
import Testing
import Verification

@testable import SharedState
@testable import Tenants

@Suite struct KeySetRecordTests {
    private func record() throws -> KeySetRecord {
        KeySetRecord(
            location: "discovery:https://id.test",
            fetchedAt: 1_800_000_000.25,
            freshUntil: 1_800_003_600.5,
            entityTag: #"W/"a\"b""#,
            keySet: try SampleKeys.keySet(3),
            discovery: .init(keySetURL: "https://id.test/keys", fetchedAt: 1_800_000_000.25)
        )
    }

    @Test func writtenRecordIsReadBack() throws {
        var record = try record()
        #expect(KeySetRecord(json: record.json) == record)
        record.entityTag = nil
        record.discovery = nil
        #expect(KeySetRecord(json: record.json) == record)
    }

    @Test func invalidRecordsAreRejected() throws {
        for text in ["", "{}", "[]", #"{"location":"x","jwks":"{}","fetched_at":"1","fresh_until":2}"#, "\u{0}"] {
            #expect(KeySetRecord(json: Array(text.utf8)) == nil)
        }
        let json = try record().json
        for length in stride(from: 0, to: json.count, by: 7) {
            #expect(KeySetRecord(json: Array(json[..<length])) == nil)
        }
    }

    @Test func mutatedRecordsAreHandled() throws {
        var random = SplitMix64(seed: 4)
        let json = try record().json
        for _ in 0..<500 {
            guard let record = KeySetRecord(json: random.mutated(json)) else { continue }
            // What was changed in the set is the parser's to find; it must come out whole or not at all.
            _ = try? HeldKeySet(record)
            #expect(KeySetRecord(json: record.json) == record)
        }
    }

    @Test func storedSetIsCheckedLikeAFetchedOne() {
        let secret = #"{"keys":[{"kty":"oct","kid":"s","k":"c2VjcmV0LXRoYXQtaXMtbG9uZy1lbm91Z2gtZm9yLWhzMjU2"}]}"#
        let record = SampleKeys.record(Array(secret.utf8), fetchedAt: 0)
        #expect((try? HeldKeySet(record))?.keys.keys.isEmpty == true)
        #expect(throws: KeySetError.self) { try HeldKeySet(SampleKeys.record(Array("<html>".utf8), fetchedAt: 0)) }
    }

    @Test func setAndIssuerAtOneAddressDiffer() {
        let address = "https://id.test/keys"
        #expect(
            RemoteKeySource(location: .keySet(url: address)).locationText
                != RemoteKeySource(location: .discovery(issuer: address)).locationText
        )
    }

    @Test(arguments: [
        Freshness("max-age=3600", 3600),
        Freshness("public, MAX-AGE=3600, must-revalidate", 3600),
        Freshness("max-age=3600", age: "600", 3000),
        Freshness("max-age=3600", age: "3599", 300),
        Freshness("max-age=\"7200\"", 7200),
        Freshness("max-age=7200, max-age=3600", 3600),
        Freshness("max-age=10", 300),
        Freshness("max-age=31536000", 86_400),
        Freshness("max-age=99999999999999999999999", 86_400),
        Freshness("max-age=-5", 300),
        Freshness("max-age=3600, no-store", 300),
        Freshness("no-cache, max-age=3600", 300),
        Freshness("private", 300),
        Freshness(nil, age: "5", 300),
        Freshness(nil, 300),
    ])
    func freshnessFollowsTheResponseHeaders(_ answer: Freshness) {
        var fields = HTTPHeaders()
        if let cacheControl = answer.cacheControl { fields.add(name: "Cache-Control", value: cacheControl) }
        if let age = answer.age { fields.add(name: "Age", value: age) }
        #expect(KeySetLifetime.seconds(fields) == answer.seconds)
    }

    struct Freshness: Sendable {
        var cacheControl: String?
        var age: String?
        var seconds: Double

        init(_ cacheControl: String?, age: String? = nil, _ seconds: Double) {
            self.cacheControl = cacheControl
            self.age = age
            self.seconds = seconds
        }
    }
}
