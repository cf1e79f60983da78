import IdentityProvider
import SharedState

/// Requests to Apple, Google and account hooks.
struct ProviderHTTP: ProviderRequests {
    let transport: ProviderTransport

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        let message = RefreshHTTPRequest(
            method: request.method,
            target: request.url,
            host: [],
            fields: request.fields.map { ($0.name, Array($0.value.utf8)) },
            body: request.body
        )
        do throws(RefreshFailure) {
            let response = try await transport.send(message, within: request.timeout)
            return ProviderResponse(status: response.status, body: response.body)
        } catch {
            throw ProviderRequestFailure(error)
        }
    }
}

extension ProviderRequestFailure {
    fileprivate init(_ trouble: RefreshFailure) {
        switch trouble {
        case .timeout: self = .timeout
        case .garbledAnswer, .tooLargeAnswer: self = .garbled
        case .refused, .revoked, .noRefreshToken, .spentToken, .network, .providerFailed, .badToken, .otherSubject,
            .sameToken, .justRefreshed, .overloaded, .storeUnavailable, .late:
            self = .unreachable
        }
    }
}
