import NIOCore
import TestSupport
import Testing

@testable import Epoll

@Suite struct LoopTimersTests {
    private func timer(at nanoseconds: Int) -> LoopTimer { LoopTimer(.uptimeNanoseconds(UInt64(nanoseconds))) { _ in } }

    @Test func timerFiresOnce() {
        var outcomes: [LoopTimer.Outcome] = []
        let timer = LoopTimer(.now()) { outcomes.append($0) }
        timer.fire(.due)
        timer.fire(.stopped)
        #expect(outcomes == [.due])
    }

    @Test func removedTimerIsGoneAndMayBeRemovedAgain() {
        var timers = LoopTimers()
        let (one, other) = (timer(at: 1), timer(at: 2))
        timers.add(one)
        timers.add(other)
        timers.remove(one)
        timers.remove(one)
        let first = timers.takeFirst(by: .distantFuture)
        #expect(first === other)
        #expect(timers.isEmpty)
    }

    /// Against a sorted list.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func timersComeInOrderOfTheirDeadlines(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var timers = LoopTimers()
        var model: [LoopTimer] = []
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1, 2:
                let added = timer(at: .random(in: 0..<500, using: &random))
                timers.add(added)
                model.append(added)
            case 3:
                guard let removed = model.randomElement(using: &random) else { continue }
                timers.remove(removed)
                model.removeAll { $0 === removed }
            default:
                let now = NIODeadline.uptimeNanoseconds(.random(in: 0..<500, using: &random))
                let taken = timers.takeFirst(by: now)
                let earliest = model.map(\.deadline).min()
                if let earliest, earliest <= now {
                    #expect(taken?.deadline == earliest)
                    model.removeAll { $0 === taken }
                } else {
                    #expect(taken == nil)
                }
            }
            #expect(timers.first == model.map(\.deadline).min())
        }
    }
}
