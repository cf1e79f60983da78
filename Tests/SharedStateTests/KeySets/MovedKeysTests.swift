import Logging
import NIOPosix
import TestSupport
import Testing
import Verification

@testable import SharedState
@testable import Tenants

/// The service, the fetcher and a provider over loopback together, in pretend time. The time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) struct MovedKeysTests {
    @Test func keysThatMovedAreFoundAgainThroughTheMetadata() async throws {
        let before = try SampleKeys.keySet()
        let after = try SampleKeys.keySet()
        let hasMoved = Awaited(false)
        let server = try await ProviderServer { head, port in
            let address = "http://127.0.0.1:\(port)"
            let path = hasMoved.value ? "/new" : "/old"
            if head.hasPrefix("GET /.well-known/") {
                return .keySet(Array(#"{"issuer":"\#(address)","jwks_uri":"\#(address)\#(path)"}"#.utf8))
            }
            guard head.hasPrefix("GET \(path) ") else { return .status("404 Not Found") }
            return .keySet(hasMoved.value ? after : before, ["cache-control: max-age=3600"])
        }
        let clock = PretendClock()
        let used = Awaited<[KeySet?]>([])
        let service = KeySetService(
            sources: [RemoteKeySource(location: .discovery(issuer: server.address))],
            store: PretendStore(clock),
            stateDirectory: nil,
            fetcher: KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton),
            logger: Logger(label: "service") { _ in SwiftLogNoOpLogHandler() },
            clock: clock.fleetClock(),
            use: { _, keys in used.update { $0.append(keys) } }
        )
        let running = Task { await service.run() }
        await clock.waitForSleepers(1, after: 2880)

        hasMoved.update { $0 = true }
        clock.advance(by: 2880)
        await clock.waitForSleepers(1, after: 0.5)
        #expect(await service.statuses().first?.lastError == "answered 404")
        clock.advance(by: 0.5)
        await clock.waitForSleepers(1, after: 2880)
        #expect(used.value == [try SampleKeys.parsed(before), try SampleKeys.parsed(after)])

        running.cancel()
        await running.value
        await server.close()
    }
}
