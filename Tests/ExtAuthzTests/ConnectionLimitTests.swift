import Testing

@testable import ExtAuthz

@Suite struct ConnectionLimitTests {
    private struct Nobody: CheckHandler {
        func answers(_ peer: String) -> Bool { false }
        func decide(_ request: QueriedRequest, for peer: String, reply: @escaping @Sendable (CheckReply) -> Void) {
            reply(.denied(status: 403, fields: [], body: []))
        }
    }

    @Test func untrustedPeersTakeNoCapacityOfTrustedOnes() {
        let limit = ConnectionLimit(authorizer: Nobody())
        for _ in 0..<ConnectionLimit.mostUntrusted { #expect(limit.begin(trusted: false)) }
        for _ in 0..<100 { #expect(!limit.begin(trusted: false)) }
        for _ in 0..<ConnectionLimit.mostTrusted { #expect(limit.begin(trusted: true)) }
        for _ in 0..<100 { #expect(!limit.begin(trusted: true)) }
        limit.end(trusted: true)
        #expect(!limit.begin(trusted: false))
        #expect(limit.begin(trusted: true))
        limit.end(trusted: false)
        #expect(limit.begin(trusted: false))
        #expect(!limit.begin(trusted: false))
    }
}
