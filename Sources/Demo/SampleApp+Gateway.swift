import Hummingbird
import Verification

/// What the apps share whose tokens are the gateway's own: chat and clans.
extension SampleApp {
    /// The caller of an app that believes the gateway: the identity header must be there and speak of the token's
    /// subject.
    func callerByGateway(
        _ request: Request,
        token: String,
        tokens: AppTokens
    ) async throws(Unauthorized) -> Principal {
        guard let subject = SeenIdentity.subject(of: request) else {
            throw Unauthorized(reason: "no identity header: this backend is reached through the gateway")
        }
        let principal = try tokens.principal(of: token)
        guard subject == principal.subject else { throw Unauthorized(reason: "identity header and token differ") }
        return principal
    }
}
