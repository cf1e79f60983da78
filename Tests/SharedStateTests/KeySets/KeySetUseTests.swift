import Logging
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Between the moment that keys are held and the one that they are in use.
@Suite(.timeLimit(.minutes(1))) struct KeySetUseTests {
    @Test func requestReturnsOnceNewKeysAreInUse() async throws {
        let (isOpen, isBegun, isAnswered) = (Awaited(false), Awaited(false), Awaited(false))
        let clock = PretendClock()
        let service = KeySetService(
            sources: [KeySetFixture.source],
            store: PretendStore(clock),
            stateDirectory: nil,
            fetcher: PretendProvider(try SampleKeys.keySet()),
            logger: Logger(label: "service") { _ in SwiftLogNoOpLogHandler() },
            clock: clock.fleetClock()
        ) { _, _ in
            isBegun.update { $0 = true }
            await isOpen.wait { $0 }
        }
        let running = Task { await service.run() }
        await isBegun.wait { $0 }
        let asking = Task {
            let answer = await service.requestKeys(KeySetFixture.source, because: .missing)
            isAnswered.update { $0 = true }
            return answer
        }
        for _ in 0..<1000 {
            _ = await service.statuses()
            await Task.yield()
        }
        #expect(!isAnswered.value)
        isOpen.update { $0 = true }
        #expect(await asking.value == .decideAgain)
        running.cancel()
        await running.value
    }
}
