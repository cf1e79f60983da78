import Hummingbird
import Verification

/// Shared by the apps with the gateway's own tokens: chat and clans.
extension SampleApp {
    /// The caller of an app that trusts the gateway: the identity header must be present and name the token's subject.
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
