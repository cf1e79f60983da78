import Foundation
import Logging
import NIOPosix
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState
@testable import Tenants

/// What was found in the store or on disk may be forged; only the provider can say that its keys
/// are as they were. In pretend time, with a provider over loopback.
@Suite(.timeLimit(.minutes(1))) final class KeptRecordTests: Sendable {
    private let folder = NSTemporaryDirectory() + "kept-\(UInt64.random(in: .min ... .max))"
    private let clock = PretendClock()
    private let store: PretendStore
    private let used = Awaited<[KeySet?]>([])

    init() { store = PretendStore(clock) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    enum Place: CaseIterable {
        case store, disk
    }

    private func keep(_ record: KeySetRecord, in place: Place) async {
        let logger = Logger(label: "kept") { _ in SwiftLogNoOpLogHandler() }
        switch place {
        case .store: _ = await SharedKeySets(store: store, logger: logger).publish(record)
        case .disk: await KeySetDisk(stateDirectory: folder, logger: logger).write(record)
        }
    }

    private func keeping(_ source: RemoteKeySource, _ body: () async throws -> Void) async throws {
        let used = self.used
        let service = KeySetService(
            sources: [source],
            store: store,
            stateDirectory: folder,
            fetcher: KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton),
            logger: Logger(label: "service") { _ in SwiftLogNoOpLogHandler() },
            clock: clock.fleetClock(),
            use: { _, keys in used.update { $0.append(keys) } }
        )
        let running = Task { await service.run() }
        try await body()
        running.cancel()
        await running.value
    }

    private func isConditional(_ head: String) -> Bool { head.lowercased().contains("if-none-match: \"one\"") }

    @Test(arguments: Place.allCases)
    func storedSetIsFetchedUnconditionally(place: Place) async throws {
        let forged = try SampleKeys.keySet()
        let good = try SampleKeys.keySet()
        let (forgedKeys, goodKeys) = (try SampleKeys.parsed(forged), try SampleKeys.parsed(good))
        let server = try await ProviderServer { [isConditional] head, _ in
            isConditional(head)
                ? .raw("HTTP/1.1 304 Not Modified\r\ncache-control: max-age=3600\r\n\r\n")
                : .keySet(good, [#"etag: "one""#, "cache-control: max-age=3600"])
        }
        let source = RemoteKeySource(location: .keySet(url: server.address + "/keys"))
        var record = SampleKeys.record(forged, fetchedAt: clock.now.unix, location: source.locationText)
        record.entityTag = #""one""#
        await keep(record, in: place)
        try await keeping(source) {
            await clock.waitForSleepers(1, after: 2880)
            #expect(used.value == [forgedKeys])
            clock.advance(by: 2880)
            await used.wait { $0.count == 2 }
            #expect(used.value.last == goodKeys)
            // From then on the provider's own response is revalidated.
            await clock.waitForSleepers(1, after: 2880)
            clock.advance(by: 2880)
            await server.requests.wait { $0.count == 2 }
            #expect(server.requests.value.map(isConditional) == [false, true])
            await clock.waitForSleepers(1, after: 2880)
            #expect(used.value.count == 2)
        }
        await server.close()
    }

    @Test(arguments: Place.allCases)
    func storedMetadataIsFetchedAgain(place: Place) async throws {
        let forged = try SampleKeys.keySet()
        let good = try SampleKeys.keySet()
        let goodKeys = try SampleKeys.parsed(good)
        let forger = try await ProviderServer { _, _ in .keySet(forged) }
        let server = try await ProviderServer { head, port in
            guard head.hasPrefix("GET /.well-known/") else { return .keySet(good) }
            let issuer = "http://127.0.0.1:\(port)"
            return .keySet(Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#.utf8))
        }
        let source = RemoteKeySource(location: .discovery(issuer: server.address))
        var record = SampleKeys.record(forged, fetchedAt: clock.now.unix, location: source.locationText)
        // By then it is within its hour.
        record.discovery = .init(keySetURL: forger.address + "/keys", fetchedAt: clock.now.unix + 2880)
        await keep(record, in: place)
        try await keeping(source) {
            await clock.waitForSleepers(1, after: 2880)
            clock.advance(by: 2880)
            await used.wait { $0.count == 2 }
            #expect(used.value.last == goodKeys)
            #expect(forger.requests.value.isEmpty)
        }
        await forger.close()
        await server.close()
    }
}
