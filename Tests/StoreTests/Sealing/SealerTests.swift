import TestSupport
import Testing
import Verification

@testable import Store

@Suite struct SealerTests {
    private let key = StoreKey(tenant: "chat", kind: "vault", name: "session")

    private func sealer(_ bytes: UInt8...) throws -> Sealer {
        Sealer(try SealingKeys(bytes.map { SealingKeysTests.text($0) }.joined(separator: ",")))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 5000])
    func sealedValueOpens(count: Int) throws {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealer = try sealer(1)
        let sealed = try sealer.seal(value, for: key)
        let opened = try sealer.open(sealed, for: key)
        #expect(opened.value == value && !opened.isOutdated)
        #expect(sealed.count == 1 + 4 + 12 + count + 16)
        #expect(try sealer.seal(value, for: key) != sealed)
    }

    /// Values that were sealed and derived with swift-crypto, which was used before.
    @Test func whatAnEarlierVersionSealedOpens() throws {
        let keys = try SealingKeys("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        let sealed = try #require(
            Hexadecimal.bytes(
                """
                017e50fdb33b78ffb49bbef34766d6baec599060635d96dba9869cdd76a855d32b4661ee2bf9786bdb8ef466\
                a5f58ee4
                """
            )
        )
        let opened = try Sealer(keys).open(sealed, for: StoreKey(tenant: "acme", kind: "session", name: "s1"))
        #expect(opened.value == Array("a refresh token".utf8) && !opened.isOutdated)
        #expect(Hexadecimal.text(keys.first.id.bytes) == "7e50fdb3")
        #expect(
            Hexadecimal.text(keys.derivedKey(for: "dpop nonces"))
                == "067afb609c6a4cb1e8ffa5334443d23aa32ed99287aa64bf09f41080c5c9da91"
        )
        let digest = RevocationDigest(.token(issuer: "https://issuer.example", tokenID: "token-1"))
        #expect(digest.text == "d138f45d201b161a7eefbde6277062e0")
    }

    @Test func sealedTextHidesTheValue() throws {
        let secret = Array("refresh-token-refresh-token".utf8)
        let sealed = try sealer(1).seal(secret, for: key)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("refresh"))
    }

    @Test func everyChangedBitIsNoticed() throws {
        let sealer = try sealer(1, 2)
        let sealed = try sealer.seal(Array("value".utf8), for: key)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: StoreError.self) { try sealer.open(changed, for: key) }
            }
        }
    }

    @Test func everyLostOrAddedByteIsNoticed() throws {
        let sealer = try sealer(1)
        let sealed = try sealer.seal(Array("value".utf8), for: key)
        for count in 0..<sealed.count {
            #expect(throws: StoreError.self) { try sealer.open(Array(sealed.prefix(count)), for: key) }
        }
        #expect(throws: StoreError.self) { try sealer.open(sealed + [0], for: key) }
    }

    @Test func aValueDoesNotOpenUnderAnotherKey() throws {
        let sealer = try sealer(1)
        let sealed = try sealer.seal([1, 2, 3], for: key)
        for other in [
            StoreKey(tenant: "clans", kind: "vault", name: "session"),
            StoreKey(tenant: nil, kind: "vault", name: "session"),
            StoreKey(tenant: "chat", kind: "vault", name: "sessio"),
        ] {
            #expect(throws: StoreError.self) { try sealer.open(sealed, for: other) }
        }
    }

    @Test func anotherKeyDoesNotOpenAndRandomBytesNeitherTrapNorOpen() throws {
        let sealed = try sealer(1).seal([1, 2, 3], for: key)
        let other = try sealer(2, 3)
        #expect(throws: StoreError.sealBroken("\(key) was sealed with a key not given here")) {
            try other.open(sealed, for: key)
        }
        var generator = SplitMix64(seed: 9)
        for _ in 0..<2000 {
            let bytes = generator.bytes(Int(generator.next() % 60))
            #expect(throws: StoreError.self) { try other.open(bytes, for: key) }
        }
    }

    @Test func olderKeyOpensAndIsReported() throws {
        let old = try sealer(1)
        let rotated = try sealer(2, 1)
        let sealed = try old.seal([5], for: key)
        let opened = try rotated.open(sealed, for: key)
        #expect(opened.value == [5] && opened.isOutdated)
        let anew = try rotated.seal([5], for: key)
        #expect(try !rotated.open(anew, for: key).isOutdated)
        #expect(throws: StoreError.self) { try old.open(anew, for: key) }
    }

    // MARK: In a store

    @Test(arguments: StoreFactory.allCases)
    func valueOfAnOlderKeyIsResealedWhenRead(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await store.setSealed([7, 7], for: key, lifetime: nil, with: sealer(1))
            #expect(try await store.value(for: key) != [7, 7])
            #expect(try await store.sealedValue(for: key, with: sealer(2, 1)) == [7, 7])
            #expect(try await store.sealedValue(for: key, with: sealer(2)) == [7, 7])
            await #expect(throws: StoreError.self) { try await store.sealedValue(for: key, with: sealer(1)) }
            let missing = StoreKey(tenant: "chat", kind: "vault", name: "none")
            #expect(try await store.sealedValue(for: missing, with: sealer(1)) == nil)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aValueMovedToAnotherKeyDoesNotOpen(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await store.setSealed([7], for: key, lifetime: nil, with: sealer(1))
            let other = StoreKey(tenant: "clans", kind: "vault", name: "session")
            try await store.set(try #require(try await store.value(for: key)), for: other, lifetime: nil)
            let error = await #expect(throws: StoreError.self) {
                try await store.sealedValue(for: other, with: sealer(1))
            }
            #expect(error == .sealBroken("\(other) was changed, or belongs under another key"))
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func wrongKeyIsDetectedAtTheStartAndARotatedOneAccepted(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            try await store.verifySealing(with: sealer(1))
            try await store.verifySealing(with: sealer(1))
            let error = await #expect(throws: StoreError.self) { try await store.verifySealing(with: sealer(2)) }
            guard case .sealBroken(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("NEW,OLD") && reason.contains("gatehouse:fleet:seal:check"))
            try await store.verifySealing(with: sealer(2, 1))
            try await store.verifySealing(with: sealer(2))
            await #expect(throws: StoreError.self) { try await store.verifySealing(with: sealer(1)) }
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func oneOfTwoConcurrentlyStartingKeysIsWrong(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let other = try await world.store()
            let sealers = [try sealer(1), try sealer(2)]
            async let first = Result(catching: { () async throws in try await store.verifySealing(with: sealers[0]) })
            async let second = Result(catching: { () async throws in try await other.verifySealing(with: sealers[1]) })
            let results = await [first, second]
            #expect(results.count { (try? $0.get()) == nil } == 1)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
