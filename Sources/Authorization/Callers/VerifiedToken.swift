package import Time
package import Verification

/// A token that passed every check, except perhaps for its expiry.
package enum VerifiedToken: Sendable {
    case current(Principal)
    /// It grants no access, but may be refreshed.
    case expired(ExpiredPrincipal)

    /// The principal, current or expired.
    package var principal: Principal {
        switch self {
        case .current(let principal): principal
        case .expired(let expired): expired.principal
        }
    }

    var isExpired: Bool {
        if case .expired = self { true } else { false }
    }
}

extension TokenVerifier {
    /// - Parameters:
    ///   - grace: Seconds after its expiry in which a token may be refreshed.
    package func verify(
        _ token: Span<UInt8>,
        at now: UnixTime,
        refreshableFor grace: Double
    ) throws(VerificationFailure) -> VerifiedToken {
        do throws(VerificationFailure) {
            return .current(try verify(token, at: now))
        } catch  where error.isExpiry && grace > 0 {
            return .expired(try verifyExpired(token, at: now, within: grace))
        }
    }
}
