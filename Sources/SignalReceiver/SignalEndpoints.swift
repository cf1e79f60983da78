public import IdentityProvider
import Logging
import Signals
import Store
import Tenants
import Time
import Verification

/// The endpoints below `/.gatehouse` at which others tell a tenant of ended sessions: OpenID Connect Back-Channel Logout
/// 1.0, and security events by push (RFC 8935).
public struct SignalEndpoints: Sendable {
    static let retryAfterSeconds = 5

    let context: SignalContext
    let replays: SignalReplays
    let revoker: SignalRevoker

    public init(_ context: SignalContext) {
        self.context = context
        replays = SignalReplays(store: context.store, tenant: context.tenant.name)
        revoker = SignalRevoker(context: context)
    }

    public static func serves(_ endpoint: Endpoint) -> Bool {
        endpoint == .backChannelLogout || endpoint == .signals
    }

    /// - Parameter request: A POST for one of these endpoints, whose body is at most 64 KiB.
    public func respond(to request: EndpointRequest) async -> EndpointResult {
        let key = AttemptLimits.key(address: request.clientAddress)
        if case .refused(let seconds) = context.limits.admit(key, .signals, at: request.now) {
            return .refused(
                .rateLimited(
                    "there are too many requests from this address: try again later",
                    retryAfterSeconds: seconds
                )
            )
        }
        switch request.endpoint {
        case .backChannelLogout: return await logout(request)
        case .signals: return await receiveEvents(request)
        default: return .refused(.badRequest("this is no endpoint for signals"))
        }
    }

    /// A token's content, and who has signed it.
    struct Verified {
        let principal: Principal
        let sender: TrustedSender
    }

    /// Finds the sender by the token's `iss`, and verifies the token with its keys.
    ///
    /// Where several are named alike, as an issuer that is also a sign-in provider, each has audiences of its own: the
    /// first that accepts the token counts.
    func verify(
        _ token: [UInt8],
        as purpose: TokenPurpose,
        _ request: EndpointRequest
    ) async throws(SignalRefusal) -> Verified {
        let issuer = try mappingFailures { () throws(VerificationFailure) in
            try UnverifiedToken(token).claims()["iss"]?.string
        }
        guard let issuer else { throw .invalidRequest("the claim iss is required and missing") }
        let senders = context.tenant.trustedSenders.filter { $0.policy(for: issuer) != nil }
        guard !senders.isEmpty else { throw .invalidIssuer("the token's issuer is not trusted here") }
        var refusal: SignalRefusal?
        for sender in senders {
            if purpose == .securityEvent, let bearer = sender.bearer, !Self.presents(bearer, request) {
                throw .authenticationFailed("the transmitter's bearer token is missing or another")
            }
            switch await context.tokens.verify(token, of: sender, issuer: issuer, as: purpose, at: request.now) {
            case .success(let principal): return Verified(principal: principal, sender: sender)
            case .failure(let problem):
                let found = SignalRefusal(problem)
                // Whoever cannot be asked may have accepted it.
                if case .unavailable = found { throw found }
                refusal = found
            }
        }
        throw refusal ?? .invalidIssuer("the token's issuer is not trusted here")
    }

    func count(_ event: SignInCounts.SignalEvent, _ result: SignInCounts.SignalResult) {
        context.counts.count(tenant: context.tenant.name, signal: event, result)
    }

    func log(
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ request: EndpointRequest,
        _ more: Logger.Metadata = [:]
    ) {
        let metadata: Logger.Metadata = ["tenant": "\(context.tenant.name)", "request": "\(request.id)"]
        context.logger.log(level: level, message, metadata: metadata.merging(more) { $1 })
    }

    private func mappingFailures<Value>(
        _ step: () throws(VerificationFailure) -> Value
    ) throws(SignalRefusal) -> Value {
        do throws(VerificationFailure) {
            return try step()
        } catch {
            throw SignalRefusal(error)
        }
    }

    private static func presents(_ bearer: Secret, _ request: EndpointRequest) -> Bool {
        guard let field = request.fields.authorization else { return false }
        let scheme = "bearer "
        guard field.utf8.count > scheme.utf8.count, field.prefix(scheme.count).lowercased() == scheme else {
            return false
        }
        return ConstantTime.areEqual(Array(field.utf8.dropFirst(scheme.utf8.count)), bearer.bytes)
    }
}
