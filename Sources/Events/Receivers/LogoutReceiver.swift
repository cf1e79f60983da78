public import Tenants
import Time
public import TokenSigning
import Verification

/// An issuer whose clients are told of logouts.
public struct LogoutIssuer: Sendable {
    /// Its `iss`.
    public var url: String
    public var keys: any IssuerKeys
    /// By `client_id`.
    public var clients: [String: BackChannelLogout]

    public init(url: String, keys: any IssuerKeys, clients: [String: BackChannelLogout]) {
        self.url = url
        self.keys = keys
        self.clients = clients
    }
}

/// The clients of the tenants' own issuers, which get logout tokens (OpenID Connect Back-Channel Logout 1.0).
struct LogoutReceiver: OutboxReceiver {
    /// Seconds until a token expires: section 2.4 recommends two minutes at most.
    private static let lifetime = 120.0
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// By the tenant's name.
    let issuers: [String: LogoutIssuer]

    func knows(_ receiver: OutboxReceiverID) -> Bool {
        guard case .client(let tenant, let id) = receiver, let issuer = issuers[tenant] else { return false }
        return id.map { issuer.clients[$0] != nil } ?? true
    }

    func request(
        for message: OutboxMessage,
        ofTenant tenant: String,
        at now: UnixTime
    ) async throws(OutboxFailure) -> OutboxRequest? {
        guard let logout = ClientLogout(message, tenant: tenant), let issuer = issuers[tenant],
            let client = issuer.clients[logout.client], logout.session != nil || !client.needsSession
        else { return nil }
        let token: String
        do throws(SigningProblem) {
            token = try await issuer.keys.sign(claims(logout, issuer, at: now), as: .logout)
        } catch {
            throw OutboxFailure(.keyProblem)
        }
        return OutboxRequest(
            url: client.uri,
            fields: [("Content-Type", "application/x-www-form-urlencoded"), ("User-Agent", "Gatehouse")],
            // Base64url and full stops, which a form has as they are.
            body: Array("logout_token=\(token)".utf8)
        )
    }

    /// Section 2.4. The `jti` is another one for each attempt: to a client that has seen it, it would be a replay.
    private func claims(_ logout: ClientLogout, _ issuer: LogoutIssuer, at now: UnixTime) -> JSONObject {
        let issuedAt = now.seconds.rounded(.down)
        var claims: JSONObject = [
            "iss": .string(issuer.url),
            "aud": .string(logout.client),
            "iat": .time(UnixTime(issuedAt)),
            "exp": .time(UnixTime(issuedAt + Self.lifetime)),
            "jti": .string(Base64URL.encode(RandomBytes.make(16))),
            "events": [Self.event: [:]],
            "sub": .string(logout.subject),
        ]
        claims["sid"] = logout.session.map(JSONValue.string)
        return claims
    }

    /// Section 2.8: 200, which some frameworks make a 204 of, and 400 if the client has failed to log out.
    func result(of response: OutboxResponse) -> OutboxStream.Result {
        let failure = OutboxFailure(.refused, status: response.status)
        switch response.status {
        case 200..<300: return .delivered
        case 400: return .givenUp(failure)
        default: return .failed(failure, retryAfter: response.retryAfter)
        }
    }
}
