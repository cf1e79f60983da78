import Testing

@testable import Upstream

/// The gateway's own requests in a pool whose connections are all held by requests that wait for their results.
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
        // The gateway's own request had the connection; when it breaks, the other one must still wait.
        let loss = state.busyClosed()
        #expect(loss == .nothing)
        let last = state.busyClosed()
        #expect(last == .connect)
    }
}
