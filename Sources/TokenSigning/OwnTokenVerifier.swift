public import Time
public import Verification

/// Verifies the issuer's own tokens for its endpoints: with its published keys, and only tokens of the requested type.
public actor OwnTokenVerifier {
    /// Verifiers for the keys as last published.
    private struct Verifiers {
        let keys: KeySet
        let access: TokenVerifier
        /// For tokens whose `aud` is a client.
        let others: TokenVerifier
    }

    private let rules: IssuerRules
    private let keys: any IssuerKeys
    private let leeway: Double
    private var verifiers: Verifiers?

    /// - Parameter leeway: Seconds by which the clocks of instances may differ.
    public init(_ rules: IssuerRules, keys: any IssuerKeys, leeway: Double = 60) {
        self.rules = rules
        self.keys = keys
        self.leeway = leeway
    }

    /// Verifies a token: signature, `typ`, `iss`, `exp` and the other times, and `aud` of access tokens. The caller
    /// checks the `aud` of ID tokens.
    ///
    /// - Parameters:
    ///   - allowExpired: Whether a token may be past its `exp`, however long (OpenID Connect RP-Initiated Logout 1.0
    ///     section 2).
    public func verify(
        _ token: String,
        as type: IssuedTokenType,
        at now: UnixTime,
        allowExpired: Bool = false
    ) async -> Result<Principal, OwnTokenFailure> {
        do throws(SigningProblem) {
            let published = try await keys.published()
            return verify(Array(token.utf8), as: type, at: now, allowExpired, verifiers(for: published.keys))
        } catch {
            return .failure(.unavailable(error))
        }
    }

    private func verify(
        _ token: [UInt8],
        as type: IssuedTokenType,
        at now: UnixTime,
        _ allowExpired: Bool,
        _ verifiers: Verifiers
    ) -> Result<Principal, OwnTokenFailure> {
        do throws(VerificationFailure) {
            // Our own tokens have their exact type (RFC 8725 section 3.11).
            guard let said = try UnverifiedToken(token).header["typ"]?.string,
                said.utf8.elementsEqual(type.rawValue.utf8)
            else { return .failure(.wrongType) }
            let verifier = type == .access ? verifiers.access : verifiers.others
            guard allowExpired else { return .success(try verifier.verify(token.span, at: now)) }
            return .success(try verifier.verifyExpired(token.span, at: now, within: .infinity).principal)
        } catch {
            return .failure(.refused(error))
        }
    }

    private func verifiers(for keys: KeySet) -> Verifiers {
        if let verifiers, verifiers.keys == keys { return verifiers }
        let made = Verifiers(
            keys: keys,
            access: verifier(keys, audiences: [rules.audience]),
            others: verifier(keys, audiences: [])
        )
        verifiers = made
        return made
    }

    private func verifier(_ keys: KeySet, audiences: [String]) -> TokenVerifier {
        let issuer = IssuerPolicy(issuer: rules.url, audiences: audiences, algorithms: [rules.algorithm], keys: keys)
        return TokenVerifier(
            VerificationPolicy(issuers: [issuer], leeway: leeway, requiredClaims: ["sub", "aud", "exp"])
        )
    }
}

/// Why a token is not accepted as one of the issuer's own.
public enum OwnTokenFailure: Error, Sendable, Equatable {
    /// It is invalid or no longer valid.
    case refused(VerificationFailure)
    /// It is of another type than requested.
    case wrongType
    /// There are no keys to verify with.
    case unavailable(SigningProblem)
}
