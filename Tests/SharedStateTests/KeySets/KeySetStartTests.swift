import Foundation
import Logging
import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// Starts with the provider down, from the store and from disk.
@Suite(.timeLimit(.minutes(1))) final class KeySetStartTests: Sendable {
    private let keySet: [UInt8]
    private let keys: KeySet
    private let folder: String

    init() throws {
        keySet = try SampleKeys.keySet()
        keys = try SampleKeys.parsed(keySet)
        folder = NSTemporaryDirectory() + "key-sets-\(UInt64.random(in: .min ... .max))"
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func downProvider() -> PretendProvider {
        let provider = PretendProvider(keySet)
        provider.fail("connection refused")
        return provider
    }

    private func disk() -> KeySetDisk {
        KeySetDisk(stateDirectory: folder, logger: Logger(label: "disk") { _ in SwiftLogNoOpLogHandler() })
    }

    private func record(_ clock: PretendClock, age: Double) -> KeySetRecord {
        SampleKeys.record(keySet, fetchedAt: clock.now.unix - age)
    }

    @Test func startsFromTheStore() async throws {
        let fixture = KeySetFixture(provider: downProvider())
        #expect(
            await SharedKeySets(store: fixture.store, logger: quiet).publish(record(fixture.clock, age: 100)) == .done
        )
        fixture.start()
        await fixture.used[0].wait { [keys] in $0 == [keys] }
        #expect(fixture.provider.fetches == 0)
        #expect(await fixture.services[0].statuses().first?.ageSeconds == 100)
        await fixture.stop()
    }

    @Test func startsFromTheStoreWithAStaleSet() async throws {
        let fixture = KeySetFixture(provider: downProvider())
        #expect(
            await SharedKeySets(store: fixture.store, logger: quiet).publish(record(fixture.clock, age: 86_400))
                == .done
        )
        fixture.start()
        await fixture.used[0].wait { [keys] in $0 == [keys] }
        await fixture.provider.waitForFetches(1)
        #expect(await fixture.services[0].missing(of: fixture.sources).isEmpty)
        await fixture.stop()
    }

    @Test func startsFromDiskWhenStoreAndProviderAreDown() async throws {
        let clock = PretendClock()
        await disk().write(record(clock, age: 86_400))
        let fixture = KeySetFixture(provider: downProvider(), clock: clock, stateDirectory: folder)
        fixture.store.setUp(false)
        fixture.start()
        await fixture.used[0].wait { [keys] in $0 == [keys] }
        await fixture.stop()
    }

    @Test func startsFromDiskWhenTheStoreIsEmpty() async throws {
        let clock = PretendClock()
        await disk().write(record(clock, age: 10))
        let fixture = KeySetFixture(provider: downProvider(), clock: clock, stateDirectory: folder)
        fixture.start()
        await fixture.used[0].wait { [keys] in $0 == [keys] }
        #expect(fixture.provider.fetches == 0)
        await fixture.stop()
    }

    @Test func setOlderThanSevenDaysIsNotUsed() async throws {
        let clock = PretendClock()
        await disk().write(record(clock, age: 7 * 86_400))
        let fixture = KeySetFixture(provider: downProvider(), clock: clock, stateDirectory: folder)
        #expect(
            await SharedKeySets(store: fixture.store, logger: quiet).publish(record(clock, age: 8 * 86_400)) == .done
        )
        fixture.start()
        await fixture.provider.waitForFetches(1)
        await clock.waitForSleepers(1, after: 0.5)
        #expect(await !fixture.services[0].missing(of: fixture.sources).isEmpty)
        #expect(fixture.used[0].value == [])
        await fixture.stop()
    }

    @Test func fetchedSetIsWrittenToDisk() async throws {
        let clock = PretendClock()
        let first = KeySetFixture(provider: PretendProvider(keySet), clock: clock, stateDirectory: folder)
        await first.open()
        await first.stop()
        let file = disk().file(for: KeySetFixture.source.locationText)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/key-sets").count == 1)

        let second = KeySetFixture(provider: downProvider(), clock: clock, stateDirectory: folder)
        second.store.setUp(false)
        second.start()
        await second.used[0].wait { [keys] in $0 == [keys] }
        await second.stop()
    }

    @Test(arguments: ["", "garbage", #"{"location":"https://id.test/keys"}"#])
    func invalidFileOnDiskIsIgnored(_ content: String) async throws {
        let file = disk().file(for: KeySetFixture.source.locationText)
        try FileManager.default.createDirectory(atPath: folder + "/key-sets", withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(fileURLWithPath: file))
        let fixture = KeySetFixture(provider: PretendProvider(keySet), stateDirectory: folder)
        await fixture.open()
        await fixture.stop()
        #expect(fixture.used[0].value == [keys])
        #expect(await disk().record(for: KeySetFixture.source.locationText)?.keySet == keySet)
    }

    @Test func fileOfAnotherSetIsIgnored() async throws {
        let clock = PretendClock()
        await disk().write(record(clock, age: 10))
        let stranger = "https://other.test/keys"
        let from = disk().file(for: KeySetFixture.source.locationText)
        try FileManager.default.moveItem(atPath: from, toPath: disk().file(for: stranger))
        #expect(await disk().record(for: stranger) == nil)
    }

    @Test func garbageInTheStoreIsIgnored() async throws {
        let fixture = KeySetFixture(provider: PretendProvider(keySet))
        let key = StoreKey(tenant: nil, kind: "key-set", hashing: KeySetFixture.source.locationText.utf8)
        for garbage in ["garbage", String(decoding: SampleKeys.record([0x7b], fetchedAt: 0).json, as: UTF8.self)] {
            try await fixture.store.set(Array(garbage.utf8), for: key, lifetime: nil)
        }
        await fixture.open()
        #expect(fixture.used[0].value == [keys])
        let stored = try await SharedKeySets(store: fixture.store, logger: quiet).heldSet(for: "https://id.test/keys")
        #expect(stored?.keys == keys)
        await fixture.stop()
    }

    private var quiet: Logger { Logger(label: "store") { _ in SwiftLogNoOpLogHandler() } }
}
