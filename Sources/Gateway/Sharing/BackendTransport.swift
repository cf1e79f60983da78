import NIOCore
import Proxy
import SharedState
import Tenants
import Upstream

/// Sends refresh calls to a tenant's backend, through the event loops and their connections.
struct BackendTransport: RefreshTransport {
    /// For one try, in nanoseconds.
    private static let timeout: UInt64 = 10_000_000_000

    let loops: EventLoops

    func send(_ request: RefreshHTTPRequest, tenant: TenantIndex) async throws(RefreshFailure) -> RefreshHTTPResponse {
        guard let handle = loops.next() else { throw .network }
        do {
            return try await handle.eventLoop.flatSubmit {
                let worker = handle.worker.value
                let response = worker.eventLoop.makePromise(of: RefreshHTTPResponse.self)
                worker.send(request, toBackendOf: tenant) { result in
                    response.completeWith(result.mapError { $0 })
                }
                return response.futureResult
            }.get()
        } catch {
            throw error as? RefreshFailure ?? .network
        }
    }

    fileprivate static func send(
        _ request: RefreshHTTPRequest,
        to servers: BackendServers,
        on worker: Worker,
        done: @escaping (Result<RefreshHTTPResponse, RefreshFailure>) -> Void
    ) {
        let id = worker.loop.identifiers.requestID()
        let body = !request.body.isEmpty || request.method != "GET" ? request.body : nil
        let head = ForwardedHead(
            gatewayOwn: request.method,
            request.target,
            host: request.host,
            fields: [("X-Request-Id", Array(id.text.utf8))] + request.fields,
            contentLength: body?.count
        )
        GatewayRequest(loop: worker.loop, wants: .body(most: RefreshHTTPResponse.mostBytes)) { result in
            switch result {
            case .success(let response):
                done(.success(RefreshHTTPResponse(status: response.status, body: response.body)))
            case .failure(let failure): done(.failure(RefreshFailure(failure)))
            }
        }
        .begin(head, body: body, at: servers, timeout: timeout)
    }
}

extension Worker {
    /// - Parameter done: Called once.
    fileprivate func send(
        _ request: RefreshHTTPRequest,
        toBackendOf tenant: TenantIndex,
        done: @escaping (Result<RefreshHTTPResponse, RefreshFailure>) -> Void
    ) {
        guard let servers = serving.tenants[tenant].defaultBackend else { return done(.failure(.network)) }
        BackendTransport.send(request, to: servers, on: self, done: done)
    }
}

extension RefreshFailure {
    fileprivate init(_ failure: GatewayRequest.Failure) {
        self =
            switch failure {
            case .timeout: .timeout
            case .overloaded: .overloaded
            case .network: .network
            case .tooLargeResponse: .tooLargeAnswer
            }
    }
}
