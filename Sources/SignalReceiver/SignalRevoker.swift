import IdentityProvider
import Signals
import Store
import Tenants
import Time

/// Ends what a logout token or a security event says has ended.
struct SignalRevoker: Sendable {
    let context: SignalContext

    /// - Parameters:
    ///   - targets: What has ended.
    ///   - sender: Whose word it is. Only an entry of `signals` may speak of other issuers' subjects.
    ///   - issuer: `iss` of the token.
    ///   - time: Tokens and sessions of subjects that began later go on.
    ///   - reason: For operators, stored with the revocations.
    /// - Returns: False if there was nothing that it could be about.
    /// - Throws: If not all of it is in force and stored.
    func end(
        _ targets: [SignalTarget],
        by sender: TrustedSender,
        issuer: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String
    ) async throws(SignalRefusal) -> Bool {
        let scope = SignalScope(tenant: context.tenant, sender: sender, issuer: issuer)
        let ofSessions = targets.filter { if case .session = $0 { true } else { false } }
            .compactMap(scope.revocationTarget)
        // A session is less than all that its subject has.
        let revoked = ofSessions.isEmpty ? targets.compactMap(scope.revocationTarget) : ofSessions
        if !revoked.isEmpty {
            let all = revoked.map { target in
                Revocation(
                    tenant: context.tenant.name,
                    target: target,
                    revokedAt: time,
                    expiresAt: now + context.tenant.reportedRevocationLife,
                    reason: reason
                )
            }
            try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(StoreError) in
                try await context.revocations.revoke(all)
            }
        }
        var hasEnded = !revoked.isEmpty
        for target in targets {
            switch target {
            case .subject(let subject, _):
                if scope.isAboutOwnIssuer(target), let sessions = context.sessions {
                    try await end([sessions], of: subject, before: time, at: now, reason)
                    hasEnded = true
                }
                for provider in scope.providers(of: target) {
                    let identity = Account.Identity(provider: provider, subject: subject)
                    guard let account = try await account(identity) else { continue }
                    try await end(context.realmSessions, of: account.subject, before: time, at: now, reason)
                    hasEnded = true
                }
            case .session(let sessionID, _):
                guard scope.isAboutOwnIssuer(target), let sessions = context.sessions else { continue }
                try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(IssuingError) in
                    try await sessions.end(sessionID: sessionID, at: now, reason: reason)
                }
                hasEnded = true
            case .token: break
            }
        }
        return hasEnded
    }

    /// Forgets what a provider has verified of somebody whose account there is gone.
    func forget(
        _ targets: [SignalTarget],
        by sender: TrustedSender,
        issuer: String,
        at now: UnixTime
    ) async throws(SignalRefusal) {
        guard let accounts = context.accounts else { return }
        let scope = SignalScope(tenant: context.tenant, sender: sender, issuer: issuer)
        for target in targets {
            guard case .subject(let subject, _) = target else { continue }
            for provider in scope.providers(of: target) {
                let identity = Account.Identity(provider: provider, subject: subject)
                try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(AccountProblem) in
                    try await accounts.forget(identity, at: now)
                }
            }
        }
    }

    private func account(_ identity: Account.Identity) async throws(SignalRefusal) -> Account? {
        guard let accounts = context.accounts, ProviderIdentity.isSubject(identity.subject) else { return nil }
        return try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(AccountProblem) in
            try await accounts.account(of: identity)
        }
    }

    private func end(
        _ services: [SessionService],
        of subject: String,
        before time: UnixTime,
        at now: UnixTime,
        _ reason: String
    ) async throws(SignalRefusal) {
        for sessions in services {
            try await mappingErrors({ _ in SignalRefusal.unstored }) { () async throws(IssuingError) in
                try await sessions.endAll(ofSubject: subject, before: time, at: now, reason: reason)
            }
        }
    }
}
