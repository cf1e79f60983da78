import Synchronization
import Testing
import Verification

@testable import IdentityProvider

/// Scripted responses by address; records the requests.
final class ScriptedRequests: ProviderRequests {
    typealias Outcome = Result<ProviderResponse, ProviderRequestFailure>

    private let outcomes: [String: Outcome]
    private let received = Mutex<[ProviderRequest]>([])

    /// - Parameter outcomes: By address, without the query.
    init(_ outcomes: [String: Outcome] = [:]) {
        self.outcomes = outcomes
    }

    /// In no order: some are concurrent.
    var requests: [ProviderRequest] { received.withLock { $0 } }

    /// The only request to this address.
    func request(to address: String) throws -> ProviderRequest {
        let found = requests.filter { Self.address($0) == address }
        try #require(found.count == 1)
        return found[0]
    }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        received.withLock { $0.append(request) }
        guard let outcome = outcomes[Self.address(request)] else {
            Issue.record("unexpected request to \(Self.address(request))")
            throw .unreachable
        }
        return try outcome.get()
    }

    private static func address(_ request: ProviderRequest) -> String {
        String(request.url.prefix { $0 != "?" })
    }
}

extension ScriptedRequests.Outcome {
    static func json(_ object: JSONObject, status: Int = 200) -> Self {
        .success(ProviderResponse(status: status, body: JSONWriter.bytes(of: object)))
    }

    static func text(_ text: String, status: Int = 200) -> Self {
        .success(ProviderResponse(status: status, body: Array(text.utf8)))
    }
}
