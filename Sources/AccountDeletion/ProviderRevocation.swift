import IdentityProvider
import Logging
import Tenants
import Time
import Verification

/// Takes tokens back at Apple and Google (RFC 7009), which ends what the person has allowed the client.
struct ProviderRevocation: Sendable {
    /// The tenants of the realm, by name, whose clients the tokens were given to.
    let tenants: [String: Tenant]
    let requests: any ProviderRequests

    /// - Throws: ``DeletionFailure`` if it has to be tried again. A token that is not valid any more is a success.
    func revoke(_ grant: ProviderGrant, at now: UnixTime) async throws(DeletionFailure) {
        let request: ProviderRequest
        switch grant.provider {
        case .apple: request = try apple(grant, at: now)
        case .google: request = google(grant)
        case .named: return
        }
        let response: ProviderResponse
        do throws(ProviderRequestFailure) {
            response = try await requests.send(request)
        } catch {
            throw DeletionFailure(error)
        }
        if let failure = Self.failure(response) { throw failure }
    }

    /// RFC 7009 sections 2.2 and 2.2.1, and Google's word for a token that is not valid.
    private static func failure(_ response: ProviderResponse) -> DeletionFailure? {
        if (200..<300).contains(response.status) { return nil }
        guard (400..<500).contains(response.status), ![408, 425, 429].contains(response.status) else {
            return DeletionFailure(.refused, status: response.status)
        }
        switch (try? JSONParser.parse(response.body))?.object?["error"]?.string {
        case "invalid_token"?, "invalid_grant"?: return nil
        case "invalid_client"?, "unauthorized_client"?: return DeletionFailure(.clientRefused, status: response.status)
        default:
            return DeletionFailure(response.status == 401 ? .clientRefused : .refused, status: response.status)
        }
    }

    private func apple(_ grant: ProviderGrant, at now: UnixTime) throws(DeletionFailure) -> ProviderRequest {
        guard let apple = tenants[grant.tenant]?.signIn?.apple, let secret = apple.web.flatMap(AppleClientSecret.init)
        else { throw DeletionFailure(.noCredentials) }
        let clientSecret: String
        do throws(SigningError) {
            clientSecret = try secret.make(for: grant.given.clientID, audience: apple.issuer, at: now)
        } catch {
            throw DeletionFailure(.keyProblem)
        }
        return Self.request(
            apple.revokeURL,
            [
                ("client_id", grant.given.clientID), ("client_secret", clientSecret), ("token", grant.given.token),
                ("token_type_hint", "refresh_token"),
            ]
        )
    }

    /// Google knows the client by the token.
    private func google(_ grant: ProviderGrant) -> ProviderRequest {
        let url = tenants[grant.tenant]?.signIn?.googleAddresses.revokeURL ?? GoogleSignIn.defaultRevokeURL
        return Self.request(url, [("token", grant.given.token)])
    }

    private static func request(_ url: String, _ form: [(name: String, value: String)]) -> ProviderRequest {
        ProviderRequest(
            method: "POST",
            url: url,
            fields: [
                .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
            ],
            body: Array(FormText.text(of: form).utf8)
        )
    }
}
