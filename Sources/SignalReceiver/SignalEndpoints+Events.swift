import IdentityProvider
import Localization
import Signals
import Store
import Tenants
import Verification

/// Security events by push (RFC 8935).
extension SignalEndpoints {
    private static let contentType = "application/secevent+jwt"

    func receiveEvents(_ request: EndpointRequest) async -> EndpointResult {
        do throws(SignalRefusal) {
            try await takeEvents(request)
            return .response(
                EndpointResponse(status: 202, fields: [EndpointResponse.Field("Cache-Control", "no-store")])
            )
        } catch {
            count(.unread, error.result)
            log(.notice, "a security event is refused", request, ["reason": "\(error.description)"])
            var fields = [EndpointResponse.Field("Content-Language", "en")]
            var status = 400
            if case .unavailable = error {
                status = 503
                fields.append(EndpointResponse.Field("Retry-After", "\(Self.retryAfterSeconds)"))
            }
            return .response(
                .json(
                    ["err": .string(error.code), "description": .string(error.description)],
                    status: status,
                    fields: fields
                )
            )
        }
    }

    private func takeEvents(_ request: EndpointRequest) async throws(SignalRefusal) {
        let mediaType = request.fields.contentType?.prefix { $0 != ";" }.trimmingSpaces
        guard mediaType?.lowercased() == Self.contentType else {
            throw .invalidRequest("the body has to be \(Self.contentType)")
        }
        let verified = try await verify(request.body, as: .securityEvent, request)
        let token: SecurityEventToken
        do throws(SignalProblem) {
            token = try SecurityEventToken(verified.principal, at: request.now)
        } catch {
            throw SignalRefusal(error)
        }
        let isUsed = try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(StoreError) in
            try await replays.isUsed(token.tokenID, of: token.issuer)
        }
        guard !isUsed else {
            // A transmitter repeats what it got no answer for.
            for event in token.events { count(.event(event.type), .repeated) }
            return
        }
        var results: [SignInCounts.SignalResult] = []
        for event in token.events {
            results.append(try await act(on: event, token, verified.sender, request))
        }
        let seconds = TokenAge.memory(
            TokenAge.longestOfSecurityEvent,
            issuedAt: token.issuedAt,
            now: request.now
        )
        _ = try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(StoreError) in
            try await replays.use(token.tokenID, of: token.issuer, for: seconds)
        }
        for (event, result) in zip(token.events, results) {
            count(.event(event.type), result)
            log(
                .notice,
                "a security event was received",
                request,
                ["issuer": "\(token.issuer)", "event": "\(event.type.rawValue)", "result": "\(result.rawValue)"]
            )
        }
    }

    private func act(
        on event: SecurityEventToken.Event,
        _ token: SecurityEventToken,
        _ sender: TrustedSender,
        _ request: EndpointRequest
    ) async throws(SignalRefusal) -> SignInCounts.SignalResult {
        guard event.type.endsSessions else { return .acknowledged }
        let targets = event.subject?.targets(from: token.issuer) ?? []
        let hasEnded = try await revoker.end(
            targets,
            by: sender,
            issuer: token.issuer,
            before: event.happenedAt,
            at: request.now,
            reason: "\(event.type.rawValue) from \(token.issuer)"
        )
        if event.type == .accountPurged {
            try await revoker.forget(targets, by: sender, issuer: token.issuer, at: request.now)
        }
        return hasEnded ? .revoked : .unknownSubject
    }
}
