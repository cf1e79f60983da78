import NIOCore
import SharedState

/// Carries refresh calls to a tenant's backend, by way of the event loops and their connections.
struct BackendTransport: RefreshTransport {
    /// For one try.
    private static let timeout = TimeAmount.seconds(10)

    let loops: EventLoops

    func send(_ request: RefreshHTTPRequest, tenant: Int) async throws(RefreshTrouble) -> RefreshHTTPResponse {
        guard let handle = loops.next() else { throw .network }
        do {
            return try await handle.eventLoop.flatSubmit {
                let worker = handle.worker.value
                let answer = worker.eventLoop.makePromise(of: RefreshHTTPResponse.self)
                OwnRequest(worker.serving.tenants[tenant], worker: worker) { answer.completeWith($0.mapError { $0 }) }
                    .begin(request, timeout: Self.timeout)
                return answer.futureResult
            }.get()
        } catch {
            throw error as? RefreshTrouble ?? .network
        }
    }
}
