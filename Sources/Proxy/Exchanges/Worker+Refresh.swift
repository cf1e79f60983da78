import Authorization
import NIOCore
import SharedState
import Tenants
import Time

/// Refresh work of a loop beyond single requests.
extension Worker {
    /// Bytes of bodies that all requests together may keep for a replay.
    static let mostReplayBytes = 64 << 20
    /// Bytes of bodies that all loops together may keep for mirrors.
    static let mostMirroredBytes = 32 << 20
    /// Requests of one tenant that may wait for new tokens on a loop.
    private static let mostWaiting = 8192
    /// Nanoseconds before a failed refresh ahead is tried again.
    private static let restAfterFailure: UInt64 = 30_000_000_000
    /// Nanoseconds that a refresh ahead may take.
    private static let patienceAhead: UInt64 = 60_000_000_000

    /// Requests new tokens. Returns whether one more request may wait.
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

    /// Refreshes a token that expires soon, in the background.
    func refreshAhead(_ request: RefreshRequest, _ caller: Caller) {
        guard let refreshing = serving.tenants[request.tenant].runtime.refreshing,
            refreshing.waiting < Self.mostWaiting,
            let memory = caller.refreshMemory, lastTick >= memory.restUntil
        else { return }
        var request = request
        // The previous response may have taken long.
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

    /// The session of a request that waits for new tokens was revoked: ends the wait at the end of the loop's turn.
    func endRefresh(of exchange: RequestExchange) {
        later(for: exchange) { $0.refreshed(.refused(.revoked)) }
    }

    /// Decides on the request again, as if a step had been done.
    func decideSoon(_ exchange: RequestExchange) {
        later(for: exchange) { $0.stepEnded() }
    }
}
