import Authorization
import NIOCore
import SharedState
import Tenants
import Time

/// What the loops have to do with refreshing besides single requests.
extension Worker {
    /// Bytes of bodies that all requests together may keep, to be made again with a new token.
    static let mostReplayBytes = 64 << 20
    /// Requests of one tenant that may wait for new tokens on a loop.
    private static let mostWaiting = 8192
    /// Nanoseconds until a token that could not be refreshed ahead is tried again.
    private static let restAfterFailure: UInt64 = 30_000_000_000
    /// Nanoseconds that a refresh ahead is waited for.
    private static let patienceAhead: UInt64 = 60_000_000_000

    /// Asks for new tokens. Gives whether there is room for one more who waits.
    func refresh(_ request: RefreshRequest, for exchange: RequestExchange) -> Bool {
        guard let refreshing = serving.tenants[request.tenant].runtime.refreshing, refreshing.waiting < Self.mostWaiting
        else {
            return false
        }
        refreshing.waiting += 1
        run(for: exchange) {
            await $0.refresh(request)
        } ended: {
            refreshing.waiting -= 1
        } then: {
            $0.refreshed($1)
        }
        return true
    }

    /// Refreshes in the background a token that expires soon.
    func refreshAhead(_ request: RefreshRequest, _ caller: Caller) {
        guard let refreshing = serving.tenants[request.tenant].runtime.refreshing,
            refreshing.waiting < Self.mostWaiting,
            let memory = caller.refreshMemory, lastTick >= memory.restUntil
        else { return }
        var request = request
        // The answer before it may have taken long.
        request.deadline = now() + Self.patienceAhead
        refreshing.waiting += 1
        memory.restUntil = lastTick + Self.restAfterFailure
        let bound = NIOLoopBound((refreshing, memory), eventLoop: eventLoop)
        Task { [eventLoop, controlPlane, request] in
            let outcome = await controlPlane.refresh(request)
            eventLoop.execute {
                let (refreshing, memory) = bound.value
                refreshing.waiting -= 1
                guard case .renewed(let renewal, _) = outcome else { return }
                memory.remember(renewal, gotWith: request.refreshToken)
            }
        }
    }

    /// The session of a request that waits for new tokens was revoked: at the end of the loop's turn it is told so.
    func endRefresh(of exchange: RequestExchange) {
        later(for: exchange) { $0.refreshed(.refused(.revoked)) }
    }

    /// The request is decided on again as if a step had been done.
    func decideSoon(_ exchange: RequestExchange) {
        later(for: exchange) { $0.stepEnded() }
    }
}
