import Adoption
import IdentityProvider
import Logging
import SharedState
import Tenants
import Time
import Verification

/// Refreshes sessions of the tenants' own issuers (`send: built_in`), which needs no call.
///
/// A refresh token is used up and its successor returned with the access token; without one the `sid` of the access
/// token identifies the session. The new token is bound to the same key as the old one, which came with its proof: both
/// are for the same caller.
struct BuiltInCaller: RefreshCalling {
    let issuers: OwnIssuers
    /// By tenant.
    let deliveries: [RefreshDelivery?]
    let now: @Sendable () -> UnixTime
    let logger: Logger

    func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult {
        guard let sessions = issuers.services[tenant], let delivery = deliveries[tenant] else {
            return .failed(.noRefreshToken)
        }
        // A `sid` of another issuer's token names a session of that issuer.
        guard let issuer = issuers.tenants[tenant].issuer,
            issuer.url.utf8.elementsEqual(credential.principal.issuer.utf8)
        else { return .failed(.noRefreshToken) }
        guard let session = credential.principal.sessionID, let subject = credential.principal.subject else {
            return .failed(.noRefreshToken)
        }
        let confirmation = Confirmation(credential.principal.claims)
        do throws(IssuingError) {
            let tokens: IssuedTokens
            if let bytes = credential.refreshToken {
                let refreshToken = String(decoding: bytes, as: UTF8.self)
                // A token of another session would be used up for this one.
                guard SessionService.names(refreshToken, session: session) else { return .failed(.noRefreshToken) }
                tokens = try await sessions.refresh(
                    refreshToken,
                    subject: subject,
                    client: .any,
                    binding: confirmation.map { TokenBinding($0, bindsSession: false) },
                    at: now()
                )
            } else {
                tokens = try await sessions.renew(
                    sessionID: session,
                    subject: subject,
                    scopes: credential.principal.scopes,
                    boundTo: confirmation,
                    at: now()
                )
            }
            return .tokens(Self.received(tokens, delivery))
        } catch .refused(.unknownSession) where credential.refreshToken != nil {
            return await unknown(session, in: sessions)
        } catch {
            return result(error)
        }
    }

    /// A forged refresh token does not end the session that it names.
    private func unknown(_ session: String, in sessions: SessionService) async -> RefreshCallResult {
        do throws(IssuingError) {
            return try await sessions.session(session, at: now()) == nil ? .refused : .failed(.noRefreshToken)
        } catch {
            return result(error)
        }
    }

    private static func received(_ tokens: IssuedTokens, _ delivery: RefreshDelivery) -> ReceivedTokens {
        ReceivedTokens(
            accessToken: Array(tokens.accessToken.utf8),
            refreshToken: tokens.refreshToken.map { Array($0.utf8) },
            cookies: tokens.cookies(delivery)
        )
    }

    private func result(_ error: IssuingError) -> RefreshCallResult {
        switch error {
        case .refused(.otherSubject): return .failed(.otherSubject)
        // The request is wrong, not the session.
        case .refused(.otherClient), .refused(.scopeExceeded), .refused(.otherKey): return .failed(.noRefreshToken)
        case .refused: return .refused
        case .unavailable: return .failed(.storeUnavailable)
        case .cannotSign(let problem):
            logger.error("new tokens cannot be signed", metadata: ["reason": "\(problem)"])
            return .failed(.providerFailed)
        }
    }
}
