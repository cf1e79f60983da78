import IdentityProvider
import Signals
import Store
import Tenants
import Verification

/// Logout tokens (OpenID Connect Back-Channel Logout 1.0 sections 2.5 to 2.8).
extension SignalEndpoints {
    private static let longestToken = 16 << 10

    func logout(_ request: EndpointRequest) async -> EndpointResult {
        do throws(SignalRefusal) {
            let hasEnded = try await endSession(request)
            count(.logout, hasEnded ? .revoked : .unknownSubject)
            return .response(
                EndpointResponse(status: 200, fields: [EndpointResponse.Field("Cache-Control", "no-store")])
            )
        } catch {
            count(.logout, error.result)
            log(.notice, "a logout token is refused", request, ["reason": "\(error.description)"])
            var fields: [EndpointResponse.Field] = []
            var status = 400
            if case .unavailable = error {
                status = 503
                fields = [EndpointResponse.Field("Retry-After", "\(Self.retryAfterSeconds)")]
            }
            return .response(
                .json(
                    ["error": "invalid_request", "error_description": .string(error.description)],
                    status: status,
                    fields: fields
                )
            )
        }
    }

    private func endSession(_ request: EndpointRequest) async throws(SignalRefusal) -> Bool {
        let verified = try await verify(try Self.token(request), as: .logout, request)
        let token: LogoutToken
        do throws(SignalProblem) {
            token = try LogoutToken(verified.principal, mapping: verified.sender.mapping, at: request.now)
        } catch {
            throw SignalRefusal(error)
        }
        let isUsed = try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(StoreError) in
            try await replays.isUsed(token.tokenID, of: token.issuer)
        }
        guard !isUsed else { throw .repeated }
        let targets = try targets(of: token, verified.sender)
        let hasEnded = try await revoker.end(
            targets,
            by: verified.sender,
            issuer: token.issuer,
            before: min(request.now, token.issuedAt),
            at: request.now,
            reason: "logout at \(token.issuer)"
        )
        let seconds = TokenAge.memory(
            TokenAge.longestOfLogoutToken,
            issuedAt: token.issuedAt,
            now: request.now
        )
        let isFirst = try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(StoreError) in
            try await replays.use(token.tokenID, of: token.issuer, for: seconds)
        }
        guard isFirst else { throw .repeated }
        log(
            .notice,
            "an issuer has ended a session",
            request,
            [
                "issuer": "\(token.issuer)", "subject": "\(token.subject ?? "-")",
                "session": "\(token.sessionID ?? "-")", "result": hasEnded ? "revoked" : "unknown_subject",
            ]
        )
        return hasEnded
    }

    /// With a `sid` the session alone is meant (section 2.7). Sign-ins with a provider are known by their subject only, so
    /// all that began with that are ended.
    private func targets(of token: LogoutToken, _ sender: TrustedSender) throws(SignalRefusal) -> [SignalTarget] {
        let owner = SignalTarget.Owner.issuer(token.issuer)
        let scope = SignalScope(tenant: context.tenant, sender: sender, issuer: token.issuer)
        let session = token.sessionID.map { SignalTarget.session($0, owner) }
        let subject = token.subject.map { SignalTarget.subject($0, owner) }
        let hasSessions = session.map { scope.revocationTarget($0) != nil } ?? false
        guard let session, hasSessions else {
            guard let subject else {
                throw .invalidRequest(
                    "sub is missing: sign-ins with this issuer are known by their subject, not by a sid"
                )
            }
            return [subject]
        }
        if let subject, !scope.providers(of: subject).isEmpty { return [session, subject] }
        return [session]
    }

    private static func token(_ request: EndpointRequest) throws(SignalRefusal) -> [UInt8] {
        let fields: FormFields
        do throws(OAuthError) {
            fields = try OAuthForm.read(request)
        } catch {
            throw .invalidRequest("the body has to be a form (application/x-www-form-urlencoded) with a logout_token")
        }
        guard let token = fields["logout_token"] else { throw .invalidRequest("logout_token is missing") }
        guard token.utf8.count <= longestToken else { throw .invalidRequest("logout_token is too long") }
        return Array(token.utf8)
    }
}
