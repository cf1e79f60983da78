import Testing
import Time

@testable import Upstream

struct ServerHealthTests {
    /// A server that has failed often enough by `time`.
    private func ejected(_ failure: ServerFailure, at time: MonotonicTime) -> ServerHealth {
        var health = ServerHealth()
        for _ in 0..<ServerHealth.failuresToEject {
            if health.failed(failure, begunAt: time, at: time) { break }
        }
        return health
    }

    @Test func newServerIsFullyAvailable() {
        let health = ServerHealth()
        #expect(health.isAvailable(at: 0) && health.isLastResort(at: 0) && !health.isEjected(at: 0))
        #expect(health.share(at: 0) == 1024)
    }

    @Test(arguments: [ServerFailure.reset, .silent])
    func fiveConsecutiveFailuresEject(_ failure: ServerFailure) {
        var health = ServerHealth()
        for count in 1...4 { #expect(health.failed(failure, begunAt: 1, at: 2) == false, "\(count)") }
        #expect(health.isAvailable(at: 2))
        #expect(health.failed(failure, begunAt: 1, at: 2) == true)
        #expect(!health.isAvailable(at: 2) && health.isEjected(at: 2))
    }

    @Test func successRestartsFailureCount() {
        var health = ServerHealth()
        for _ in 0..<20 {
            for _ in 1...4 { health.failed(.reset, begunAt: 0, at: 1) }
            health.answered(begunAt: 0, at: 1)
        }
        #expect(health.isAvailable(at: 1))
    }

    @Test(arguments: [ServerFailure.connectFailed, .connectTimedOut])
    func twoFailuresToConnectEject(_ failure: ServerFailure) {
        var health = ServerHealth()
        #expect(health.failed(failure, begunAt: 0, at: 0) == false)
        health.connected(begunAt: 0)
        #expect(health.failed(failure, begunAt: 0, at: 0) == false)
        health.answered(begunAt: 0, at: 0)
        #expect(health.failed(failure, begunAt: 0, at: 0) == false)
        #expect(health.failed(failure, begunAt: 0, at: 0) == true)
    }

    @Test func ejectionsDoubleUpToFiveMinutes() {
        var health = ejected(.reset, at: 0)
        var start = MonotonicTime.distantPast
        for length in [10, 20, 40, 80, 160, 300, 300, 300] {
            let end = start + UInt64(length) * 1_000_000_000
            #expect(!health.isAvailable(at: end - 1) && health.isEjected(at: end - 1))
            #expect(health.isAvailable(at: end) && !health.isEjected(at: end))
            health.chosen(at: end)
            #expect(health.failed(.reset, begunAt: end, at: end) == true, "one failure on trial is enough")
            start = end
        }
    }

    /// How long the server is ejected if it fails `quiet` after the end of its third ejection.
    private func fourthEjection(after quiet: MonotonicTime) -> MonotonicTime {
        var health = ejected(.reset, at: 0)
        health.failed(.reset, begunAt: seconds(10), at: seconds(10))
        health.failed(.reset, begunAt: seconds(30), at: seconds(30))
        health.answered(begunAt: seconds(70), at: seconds(70))
        let start = seconds(70) + quiet.nanoseconds
        for _ in 1...5 { health.failed(.reset, begunAt: start, at: start) }
        return (1...600).map { seconds(Double($0)) }.first { !health.isEjected(at: start + $0.nanoseconds) } ?? 0
    }

    @Test func successfulPeriodIsRemembered() {
        #expect(fourthEjection(after: 1) == seconds(80))
        #expect(fourthEjection(after: seconds(299)) == seconds(80))
        #expect(fourthEjection(after: seconds(300)) == seconds(40))
        #expect(fourthEjection(after: seconds(600)) == seconds(20))
        #expect(fourthEjection(after: seconds(86400)) == seconds(10))
    }

    @Test func shareGrowsFromOneTenthOverHalfMinute() {
        var health = ejected(.reset, at: 0)
        #expect(health.share(at: seconds(10)) == 102)
        health.chosen(at: seconds(10))
        health.answered(begunAt: seconds(10), at: seconds(11))
        #expect(health.share(at: seconds(25)) == 563)
        #expect(health.share(at: seconds(39.9)) < 1024)
        #expect(health.share(at: seconds(40)) == 1024)
        let shares = (100...400).map { health.share(at: seconds(Double($0) / 10)) }
        #expect(shares == shares.sorted())
    }

    @Test func trialIsOneRequestPerSecondUntilResponse() {
        var health = ejected(.reset, at: 0)
        health.chosen(at: seconds(10))
        #expect(!health.isAvailable(at: seconds(10.9)))
        #expect(health.isAvailable(at: seconds(11)))
        health.chosen(at: seconds(11))
        health.answered(begunAt: seconds(10), at: seconds(11.1))
        #expect(health.isAvailable(at: seconds(11.1)))
    }

    @Test func failuresFromBeforeEjectionAreIgnored() {
        var health = ejected(.reset, at: seconds(5))
        #expect(health.failed(.silent, begunAt: seconds(4), at: seconds(20)) == false)
        #expect(health.isAvailable(at: seconds(20)))
        health.answered(begunAt: seconds(20), at: seconds(21))
        for _ in 1...10 { #expect(health.failed(.silent, begunAt: seconds(4), at: seconds(30)) == false) }
        #expect(health.isAvailable(at: seconds(30)))
    }

    @Test func responseFromBeforeEjectionDoesNotEndIt() {
        var health = ejected(.connectTimedOut, at: seconds(5))
        health.answered(begunAt: seconds(4), at: seconds(6))
        #expect(health.isEjected(at: seconds(6)))
        health.answered(begunAt: seconds(6), at: seconds(7))
        #expect(health.isAvailable(at: seconds(7)))
        #expect(health.share(at: seconds(7)) == 102 && health.share(at: seconds(37)) == 1024)
    }

    @Test(arguments: [ServerFailure.connectFailed, .reset, .silent])
    func nonHangingServerIsAlwaysLastResort(_ failure: ServerFailure) {
        var health = ejected(failure, at: 0)
        for _ in 0..<100 {
            #expect(!health.isAvailable(at: 1) && health.isLastResort(at: 1))
            health.chosen(at: 1)
            health.failed(failure, begunAt: 1, at: 1)
        }
    }

    @Test func hangingServerIsTriedOncePerSecond() {
        var health = ejected(.connectTimedOut, at: 0)
        var tries = 0
        for tick in 0..<1000 {
            let now = seconds(Double(tick) / 100)
            guard health.isLastResort(at: now) else { continue }
            tries += 1
            health.chosen(at: now)
            health.failed(.connectTimedOut, begunAt: now, at: now)
        }
        #expect(tries == 10)
    }

    @Test func lastFailureDecidesWhetherServerHangs() {
        var health = ejected(.connectTimedOut, at: 0)
        health.chosen(at: 1)
        #expect(!health.isLastResort(at: 2))
        health.failed(.connectFailed, begunAt: 1, at: 2)
        #expect(health.isLastResort(at: 2))
        health.failed(.connectTimedOut, begunAt: 2, at: 3)
        #expect(!health.isLastResort(at: 3))
        health.connected(begunAt: 3)
        #expect(health.isLastResort(at: 3) && !health.isAvailable(at: 3))
    }

    @Test func serverProbedDownIsNeverUsed() {
        var health = ServerHealth()
        health.probed(isUp: false, at: 1)
        health.answered(begunAt: 0, at: 2)
        #expect(!health.isAvailable(at: 2) && !health.isLastResort(at: 2))
        health.probed(isUp: true, at: seconds(5))
        #expect(health.isAvailable(at: seconds(5)))
        #expect(health.share(at: seconds(5)) == 102 && health.share(at: seconds(35)) == 1024)
    }

    @Test func successfulProbesEndEjection() {
        var health = ejected(.reset, at: 0)
        health.probed(isUp: true, at: 1)
        #expect(health.isEjected(at: 1), "it was up before")
        health.probed(isUp: false, at: 1)
        health.probed(isUp: true, at: 2)
        #expect(health.isAvailable(at: 2))
        for count in 1...4 { #expect(health.failed(.reset, begunAt: 3, at: 3) == false, "\(count)") }
    }
}
