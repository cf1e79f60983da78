import Logging
import Tenants
import Verification

/// Asks a named provider who an access token is for.
struct UserInfoRequest: Sendable {
    private static let longestAccessToken = 8192

    let provider: SignIn.Provider
    let requests: any ProviderRequests
    let logger: Logger

    func object(at url: String, _ accessToken: String) async throws(EndpointRefusal) -> JSONObject {
        let request = try request(url, accessToken)
        switch await requests.reply(to: request) {
        case .object(let object): return object
        case .refused:
            note(url, "refused")
            throw .invalidToken("the sign-in at \(provider.vendor) was not completed: start again")
        case .trouble(let trouble):
            note(url, trouble.rawValue)
            throw EndpointRefusal(trouble, of: provider)
        }
    }

    /// - Returns: nil if the provider does not give the list, for which the scope may be missing.
    func emails(at url: String, _ accessToken: String) async throws(EndpointRefusal) -> ListedEmail? {
        let request = try request(url, accessToken)
        let response: ProviderResponse
        do throws(ProviderRequestFailure) {
            response = try await requests.send(request)
        } catch {
            note(url, error.rawValue)
            throw EndpointRefusal(error, of: provider)
        }
        switch response.status {
        case 200:
            guard let listed = ListedEmail(response.body) else { throw EndpointRefusal(.garbled, of: provider) }
            return listed
        case 401, 403, 404:
            note(url, "answered \(response.status): the scope for e-mails may be missing")
            return nil
        default: throw EndpointRefusal(.unreachable, of: provider)
        }
    }

    private func request(_ url: String, _ accessToken: String) throws(EndpointRefusal) -> ProviderRequest {
        guard PlainText.isVisible(accessToken, longest: Self.longestAccessToken) else {
            throw EndpointRefusal(.garbled, of: provider)
        }
        return ProviderRequest(
            method: "GET",
            url: url,
            fields: [.init("Authorization", "Bearer \(accessToken)"), .init("Accept", "application/json"), .userAgent]
        )
    }

    private func note(_ url: String, _ reason: String) {
        logger.warning(
            "a sign-in provider does not say who signs in",
            metadata: [
                "provider": "\(provider.rawValue)", "url": "\(url.prefix { $0 != "?" })", "reason": "\(reason)",
            ]
        )
    }
}
