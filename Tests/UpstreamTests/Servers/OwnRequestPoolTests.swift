import Testing

@testable import Upstream

/// Requests of the gateway's own in a pool whose connections are all held by those who wait for what they bring.
struct OwnRequestPoolTests {
    @Test func ownRequestsMayExceedLimit() {
        var state = PoolState(maximumConnections: 1, maximumWaiting: 0)
        #expect(state.requestArrived() == .waitAndConnect)
        #expect(state.connected() == .promise)
        state.promiseKept()
        #expect(state.requestArrived() == .refuse)
        for _ in 0..<PoolState.ownConnections {
            let action = state.requestArrived(isOwn: true)
            #expect(action == .waitAndConnect)
        }
        let oneMore = state.requestArrived(isOwn: true)
        #expect(oneMore == .wait)
        #expect(state.requestArrived() == .refuse)
    }

    @Test func onlyOwnRequestsOpenConnectionsBeyondLimit() {
        var state = PoolState(maximumConnections: 1, maximumWaiting: 4)
        _ = state.requestArrived()
        _ = state.connected()
        state.promiseKept()
        let waits = state.requestArrived()
        #expect(waits == .wait)
        let own = state.requestArrived(isOwn: true)
        #expect(own == .waitAndConnect)
        _ = state.connected()
        state.promiseKept()
        // The own request had the connection; when it breaks, the other one is still not due for one.
        let loss = state.busyClosed()
        #expect(loss == .nothing)
        let last = state.busyClosed()
        #expect(last == .connect)
    }
}
