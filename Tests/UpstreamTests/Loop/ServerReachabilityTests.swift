import Glibc
import NIOCore
import NIOSSL
import TestSupport
import Testing
import Time

@testable import Upstream

struct ServerReachabilityTests {
    private let log = RecordedLog()
    private let reachability = ServerReachability()
    private static let refused = "warning server cannot be reached reason=connection refused server=http://a:1"
    private static let found = "notice server can be reached again server=http://a:1"

    private func lose(_ problem: ConnectProblem = .system(ECONNREFUSED), at seconds: UInt64) {
        reachability.lost("http://a:1", problem, at: .after(seconds * 1_000_000_000), log.logger)
    }

    private func find(_ server: String = "http://a:1", at seconds: UInt64) {
        reachability.found(server, at: .after(seconds * 1_000_000_000), log.logger)
    }

    @Test func changeIsLoggedOnceHoweverManyLoopsSeeIt() {
        for _ in 0..<3 { lose(at: 100) }
        for time in [120, 121] as [UInt64] { lose(at: time) }
        #expect(log.lines == [Self.refused])
        #expect(reachability.problem(of: "http://a:1") == .system(ECONNREFUSED))
        for time in [130, 131] as [UInt64] { find(at: time) }
        #expect(log.lines == [Self.refused, Self.found])
        #expect(reachability.problem(of: "http://a:1") == nil)
        lose(.unknownName, at: 200)
        #expect(log.lines.last == "warning server cannot be reached reason=its name has no address server=http://a:1")
    }

    @Test func serverThatComesAndGoesIsLoggedEveryTenSeconds() {
        for second in 0..<100 as Range<UInt64> {
            lose(at: 1000 + second)
            find(at: 1000 + second)
        }
        #expect((5...11).contains(log.lines.count))
        #expect(reachability.problem(of: "http://a:1") == nil)
        // What holds in the end is told, if late.
        find(at: 2000)
        #expect(log.lines.last == Self.found)
    }

    @Test func otherServersAreNotTouched() {
        lose(at: 100)
        find("http://b:1", at: 100)
        #expect(log.lines == [Self.refused])
        #expect(reachability.problem(of: "http://b:1") == nil)
        #expect(reachability.problem(of: "http://a:1") != nil)
    }

    @Test func errorsOfConnectionsHaveReasons() {
        #expect("\(ConnectProblem(IOError(errnoCode: ECONNRESET, reason: "read")))" == "connection reset by peer")
        #expect(ConnectProblem(NIOSSLError.uncleanShutdown) == .handshake)
        #expect(ConnectProblem(ChannelError.eof) == .closed)
        #expect(ConnectProblem.timedOut.failure == .connectTimedOut)
        #expect(ConnectProblem.untrusted.failure == .connectFailed)
    }
}
