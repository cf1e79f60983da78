import Gateway
import Synchronization
import Verification

/// The gateway as those sample backends know it whose sessions are its own. They are made before it is there.
final class DemoIssuer: Sendable {
    private let gateway = Mutex<Gateway?>(nil)

    func use(_ gateway: Gateway) {
        self.gateway.withLock { $0 = gateway }
    }

    func startSession(
        tenant: String,
        subject: String,
        claims: JSONObject
    ) async throws -> (accessToken: String, refreshToken: String) {
        let gateway = gateway.withLock { $0 }
        let tokens = try await gateway?.startSession(tenant: tenant, subject: subject, claims: claims)
        guard let tokens, let refreshToken = tokens.refreshToken else {
            throw CommandFailure("the gateway began no session for \(tenant)")
        }
        return (tokens.accessToken, refreshToken)
    }
}
