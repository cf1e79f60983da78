import SharedState
import Store
import Tenants
import Time
import Verification

/// The revocations that a request means for its tenant.
struct RevocationScope: Equatable {
    var targets: [RevocationTarget]
    /// The time from which the record is not needed; `.distantFuture` for never.
    var endOfUse: UnixTime
    /// Seconds after the revocation from which the record is not needed either.
    var maximumUse = Double.infinity

    init(_ selector: RevocationRequest.Selector, _ tenant: Tenant) throws(AdminProblem) {
        endOfUse = .distantFuture
        switch selector {
        case .token(let token) where tenant.introspection != nil && OpaqueToken.isOpaque(token.bytes.span):
            guard OpaqueToken.isWellFormed(token.bytes.span) else {
                throw .badRequest("\"token\" cannot be revoked: \(VerificationFailure.malformedOpaque.summary)")
            }
            targets = [.signingInput(sha256: OpaqueToken.digest(token.bytes))]
            maximumUse = SignOut.opaqueLifetime
        case .token(let token):
            (targets, endOfUse) = try Self.token(token.bytes, tenant)
        case .tokenID(let id):
            targets = tenant.issuers.map { .token(issuer: $0, tokenID: id) }
        case .subject(let id): targets = [.subject(id)]
        case .session(let id): targets = [.session(id)]
        case .all: targets = [.tenant]
        }
        guard !targets.isEmpty else { throw .badRequest("the tenant has no issuers, and so no tokens to revoke") }
    }

    /// Checks neither signature nor expiry: revoking an invalid token does no harm.
    private static func token(
        _ bytes: [UInt8],
        _ tenant: Tenant
    ) throws(AdminProblem) -> (targets: [RevocationTarget], endOfUse: UnixTime) {
        let token: UnverifiedToken
        let claims: JSONObject
        do {
            token = try UnverifiedToken(bytes)
            claims = try token.claims()
        } catch {
            throw .badRequest("\"token\" cannot be revoked: \(error.summary)")
        }
        guard let issuer = claims["iss"]?.string, let known = tenant.issuer(sameAs: issuer) else {
            guard !tenant.signers.isEmpty else {
                throw .badRequest("\"token\" is not of this tenant, whose tokens are all opaque")
            }
            let issuers = tenant.signers.joined(separator: ", ")
            throw .badRequest("\"token\" is not of this tenant: its iss is none of \(issuers)")
        }
        let target: RevocationTarget
        if let id = claims["jti"]?.string, !id.isEmpty {
            target = .token(issuer: known, tokenID: id)
        } else {
            target = .signingInput(sha256: token.signingInputSHA256(in: bytes.span))
        }
        return ([target], SignOut.endOfUse(expiresAt: claims["exp"]?.double.map(UnixTime.init), tenant))
    }

    /// - Parameters:
    ///   - lifetime: How long they are kept; nil: as long as needed.
    func revocations(of tenant: Tenant, for lifetime: Duration?, reason: String?, at now: UnixTime) -> [Revocation] {
        targets.map { target in
            Revocation(
                tenant: tenant.name,
                target: target,
                revokedAt: now,
                expiresAt: lifetime.map { now + $0.secondsAsDouble } ?? min(endOfUse, now + maximumUse),
                reason: reason
            )
        }
    }
}

extension TenantSettings {
    /// The names of its issuers, including that of introspected tokens, each once.
    fileprivate var issuers: [String] {
        guard let name = introspection?.name, !signers.contains(where: { $0.utf8.elementsEqual(name.utf8) })
        else { return signers }
        return signers + [name]
    }

    /// The names of the issuers of signed tokens, each once.
    fileprivate var signers: [String] {
        var names: [String] = []
        for issuer in authenticate.policy.issuers
        where !names.contains(where: { $0.utf8.elementsEqual(issuer.issuer.utf8) }) {
            names.append(issuer.issuer)
        }
        return names
    }
}

extension Tenant {
    /// The issuer with this name, compared byte for byte, as verification does.
    fileprivate func issuer(sameAs name: String) -> String? {
        self.authenticate.policy.issuers.first { $0.issuer.utf8.elementsEqual(name.utf8) }?.issuer
    }
}
