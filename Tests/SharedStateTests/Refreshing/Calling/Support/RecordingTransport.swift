import Synchronization

@testable import SharedState

/// Keeps the requests and gives one answer to all.
final class RecordingTransport: RefreshTransport {
    private let answer: Result<RefreshHTTPResponse, RefreshTrouble>
    private let kept = Mutex<[(request: RefreshHTTPRequest, tenant: Int)]>([])

    init(_ answer: Result<RefreshHTTPResponse, RefreshTrouble>) {
        self.answer = answer
    }

    convenience init(_ status: Int, _ body: String) {
        self.init(.success(RefreshHTTPResponse(status: status, body: Array(body.utf8))))
    }

    var requests: [RefreshHTTPRequest] { kept.withLock { $0.map(\.request) } }
    var tenants: [Int] { kept.withLock { $0.map(\.tenant) } }

    func send(_ request: RefreshHTTPRequest, tenant: Int) async throws(RefreshTrouble) -> RefreshHTTPResponse {
        kept.withLock { $0.append((request, tenant)) }
        return try answer.get()
    }
}

/// The tenant's own issuer, which gives one answer to all.
final class RecordingIssuer: RefreshCalling {
    private let result: RefreshCallResult
    private let kept = Mutex<[Int]>([])

    init(_ result: RefreshCallResult) {
        self.result = result
    }

    var tenants: [Int] { kept.withLock { $0 } }

    func call(_ credential: RefreshCredential, tenant: Int) async -> RefreshCallResult {
        kept.withLock { $0.append(tenant) }
        return result
    }
}
