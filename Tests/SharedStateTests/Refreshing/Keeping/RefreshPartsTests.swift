import Store
import TestSupport
import Testing
import Verification

@testable import SharedState

/// The small parts, each alone.
struct RefreshPartsTests {
    private static let key = StoreKey(tenant: "chat", kind: "refresh-result", name: "s1")
    private static let renewed = RefreshRecord(
        content: .renewed(
            accessToken: Array("a.b.c".utf8),
            cookies: [
                Renewal.Cookie(name: "one", value: Array("1".utf8), expiresAt: 1_800_000_000.5),
                Renewal.Cookie(name: "two", value: [], expiresAt: nil),
            ]
        ),
        presented: RefreshRecord.digest([1]),
        madeAt: 1_800_000_000.25,
        usableUntil: 1_800_000_030.25
    )

    private static let records = [
        renewed,
        RefreshRecord.failure(.refused(.refused), presented: nil, at: 5),
        RefreshRecord.failure(.unavailable(.network), presented: RefreshRecord.digest([2]), at: 5),
    ]

    /// Sealed by swift-crypto, which did this before.
    @Test func whatAnEarlierVersionSealedOpens() throws {
        let sealed = try #require(
            Hexadecimal.bytes(
                """
                010100000001a3185c5000748546daf9d80d932a68a1633369df0346bc37490503608f294cbe34c925ff7f91\
                8837b3bc1c1fdd81c128f3688e4b4f68b1144fe90afc1ec4c5e88f4eb210de401b86cef5317074f4fb80f362\
                70624ef0f7729660a80bbb2581c7797d70a733d9f60480b5559064399e0d23aff430dd5361f9d94cbec33464\
                660be47cf9e1c6c71e840543495aef9d594e53be16470b0b1d0536f82b838a41d6b2c23233dc69616b1d1b22\
                18cf8cc515457c8c7758b7e6ba8691f3a755e41726ff59c628cef4e2bb938500547b06aa660fa0855d8d38c5\
                9f16acdf6320a333aee5
                """
            )
        )
        let key = StoreKey(tenant: "acme", kind: "refresh-failure", name: "s1")
        let secret = Array("a refresh token".utf8)
        let record = RefreshRecord(
            content: .refused(.refused),
            presented: RefreshRecord.digest(secret),
            madeAt: 1_800_000_000,
            usableUntil: 1_800_000_030
        )
        #expect(RefreshSeal(sealer: nil).open(sealed, for: key, secret: secret) == .record(record))
    }

    @Test(arguments: records)
    func writtenRecordIsReadBack(record: RefreshRecord) { #expect(RefreshRecord(json: record.json) == record) }

    @Test func invalidRecordsAreRejected() {
        var random = SplitMix64(seed: 5)
        for text in ["", "{}", "[]", #"{"version":2,"made_at":1,"usable_until":2,"refused":"refused"}"#] {
            #expect(RefreshRecord(json: Array(text.utf8)) == nil)
        }
        for _ in 0..<5000 {
            let bytes = random.mutated(Self.renewed.json)
            if let record = RefreshRecord(json: bytes) { #expect(RefreshRecord(json: record.json) == record) }
        }
    }

    /// What would end a field or a cookie early, or begin another, is not taken from the store.
    @Test(arguments: ["", "a b", "a;b", "a\u{d}\u{a}X-User-Id: admin", "a\u{0}", "é"])
    func recordWithInvalidFieldBytesIsRejected(text: String) {
        let bytes = Array(text.utf8)
        let cookie = Renewal.Cookie(name: "one", value: Array("1".utf8), expiresAt: nil)
        let token = Array("a.b.c".utf8)
        var contents: [RefreshRecord.Content] = [
            .renewed(accessToken: bytes, cookies: [cookie]),
            .renewed(accessToken: token, cookies: [Renewal.Cookie(name: text, value: [], expiresAt: nil)]),
        ]
        // A cookie may be empty.
        if !text.isEmpty {
            contents.append(
                .renewed(accessToken: token, cookies: [Renewal.Cookie(name: "one", value: bytes, expiresAt: nil)])
            )
        }
        for content in contents {
            let record = RefreshRecord(content: content, presented: nil, madeAt: 1, usableUntil: 2)
            #expect(RefreshRecord(json: record.json) == nil)
        }
    }

    @Test(arguments: [true, false], records)
    func sealedRecordOpensOnlyWithTheSameCredential(hasKey: Bool, record: RefreshRecord) throws {
        let text = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
        let seal = RefreshSeal(sealer: hasKey ? Sealer(try SealingKeys(text)) : nil)
        let sealed = try seal.seal(record, for: Self.key, secret: [7])
        #expect(seal.open(sealed, for: Self.key, secret: [7]) == .record(record))
        let other = StoreKey(tenant: "chat", kind: "refresh-result", name: "s2")
        let label = RefreshSeal.Label(
            isRenewed: record.isRenewed,
            madeAt: record.madeAt,
            digest: record.newDigest ?? record.presented ?? Array(repeating: 0, count: 32)
        )
        #expect(seal.open(sealed, for: other, secret: [7]) == .closed(label))
        if !hasKey { #expect(seal.open(sealed, for: Self.key, secret: [8]) == .closed(label)) }
        #expect(RefreshSeal(sealer: nil).open([], for: Self.key, secret: [7]) == .garbled)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(seal.open(changed, for: Self.key, secret: [7]) != .record(record))
        }
    }

    @Test func callSlotsAreGrantedInOrder() throws {
        let sessions = try (0..<6).map { number in
            let token = RefreshTokens.access("s\(number)")
            return RefreshSession(tenant: 0, name: SessionName(try RefreshTokens.oldPrincipal(token)))
        }
        var slots = CallSlots(most: 2)
        /// The session that has the slot now.
        func leave(_ number: Int) -> Int? { slots.leave(sessions[number]).flatMap { sessions.firstIndex(of: $0) } }
        var granted: [Bool] = []
        for session in sessions { granted.append(slots.ask(session)) }
        #expect(granted == [true, true, false, false, false, false])
        // A waiting session leaves, and comes back as the last.
        #expect(leave(2) == nil)
        let isGranted = slots.ask(sessions[2])
        #expect(!isGranted)
        #expect([leave(1), leave(0), leave(3), leave(4)] == [3, 4, 5, 2])
        #expect([leave(5), leave(2)] == [nil, nil])
        #expect(slots.count == 0)
    }
}
