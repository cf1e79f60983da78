import Counting
import TestSupport
import Testing

@testable import Tenants
@testable import Upstream

/// Whether a request may be sent to another server.
struct UpstreamAttemptsTests {
    private let retries = Retries(
        RetryRules(attempts: 2, afterConnectFailure: true, afterReset: true, methods: ["GET"])
    )

    private func sent(_ method: CountedMethod = .get, hasBody: Bool = false) -> UpstreamAttempts {
        var attempts = UpstreamAttempts()
        attempts.sent(retries, method, hasBody: hasBody)
        return attempts
    }

    @Test func requestIsRetriedByRules() {
        for (method, hasBody, expected) in [
            (CountedMethod.get, false, true), (.get, true, false), (.post, false, false), (.other, false, false),
        ] {
            var attempts = sent(method, hasBody: hasBody)
            let again = attempts.lost(3, wasActedOn: true, hasBody: hasBody)
            #expect(again == expected, "\(method) \(hasBody)")
            #expect(attempts.tried == (expected ? [3] : []))
        }
    }

    @Test func respondingServerMayHaveActed() {
        var attempts = sent()
        attempts.serverSpoke()
        let again = attempts.lost(0, wasActedOn: true, hasBody: false)
        #expect(!again)
    }

    /// Its response has begun at the client: a second one would be read as a part of the first.
    @Test func startedResponseIsNeverRetried() {
        var attempts = sent()
        attempts.serverSpoke()
        let again = attempts.lost(0, wasActedOn: false, hasBody: false)
        #expect(!again && attempts.tried == [])
    }

    @Test func attemptsAreBounded() {
        var attempts = sent()
        let first = attempts.lost(0, wasActedOn: true, hasBody: false)
        attempts.sent(retries, .get, hasBody: false)
        let second = attempts.lost(1, wasActedOn: true, hasBody: false)
        #expect(first && !second)
    }

    /// A request that a server has not processed may go to any other, whatever its method, a limited number of times.
    @Test func refusedRequestIsRetriedElsewhereOnce() {
        var attempts = sent(.post)
        let first = attempts.lost(0, wasActedOn: false, hasBody: false)
        attempts.sent(retries, .post, hasBody: false)
        let second = attempts.lost(1, wasActedOn: false, hasBody: false)
        #expect(first && !second)
        var withBody = sent(.post, hasBody: true)
        let again = withBody.lost(0, wasActedOn: false, hasBody: true)
        #expect(!again, "what was sent of a body is gone")
    }
}
