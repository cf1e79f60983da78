import Synchronization

@testable import SharedState
@testable import Tenants

/// Records the requests, and gives all the same response.
final class RecordingTransport: RefreshTransport {
    private let answer: Result<RefreshHTTPResponse, RefreshFailure>
    private let kept = Mutex<[(request: RefreshHTTPRequest, tenant: TenantIndex)]>([])

    init(_ answer: Result<RefreshHTTPResponse, RefreshFailure>) {
        self.answer = answer
    }

    convenience init(_ status: Int, _ body: String) {
        self.init(.success(RefreshHTTPResponse(status: status, body: Array(body.utf8))))
    }

    var requests: [RefreshHTTPRequest] { kept.withLock { $0.map(\.request) } }
    var tenants: [TenantIndex] { kept.withLock { $0.map(\.tenant) } }

    func send(_ request: RefreshHTTPRequest, tenant: TenantIndex) async throws(RefreshFailure) -> RefreshHTTPResponse {
        kept.withLock { $0.append((request, tenant)) }
        return try answer.get()
    }
}

/// The tenant's own issuer, which gives all the same response.
final class RecordingIssuer: RefreshCalling {
    private let result: RefreshCallResult
    private let kept = Mutex<[TenantIndex]>([])

    init(_ result: RefreshCallResult) {
        self.result = result
    }

    var tenants: [TenantIndex] { kept.withLock { $0 } }

    func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult {
        kept.withLock { $0.append(tenant) }
        return result
    }
}
