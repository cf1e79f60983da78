public import IdentityProvider
import Tenants
import Time
import Verification

/// Begins sessions of a tenant's issuer for people who are signed in at a former one (`refresh.adopt`).
///
/// The subject is the former issuer's, or as the account hook says. If there is an account with that subject, the
/// session is its: whoever names an issuer in `adopt` says that its subjects are the realm's. No account is made.
public struct SessionAdopter: Sendable {
    /// The provider of such sessions, for lists of sessions and for events.
    static let provider = "adoption"
    /// In bytes of JSON. The claims go into every token, and so into every request.
    private static let longestClaims = 4096

    private let context: SignInContext
    private let accounts: AccountRepository
    private let admission: Admission?

    /// - Parameters:
    ///   - context: Of a tenant with an issuer.
    ///   - admission: Nil: everybody is let in.
    public init(_ context: SignInContext, accounts: AccountRepository, admission: Admission?) {
        self.context = context
        self.accounts = accounts
        self.admission = admission
    }

    /// Whose session it becomes, with which claims.
    private struct Owner {
        var subject: String
        var claims: JSONObject

        /// Another role takes their place.
        mutating func dropRoles() {
            claims["role"] = nil
            claims["roles"] = nil
        }
    }

    /// Begins a session. When this returns, it is as durable as the store.
    ///
    /// Its tokens have the scopes of the former one, are bound to the same key, and say the same of when the subject
    /// signed in.
    ///
    /// - Parameter isInTime: Whether anybody still waits for it: asked before it is begun.
    func open(
        _ former: FormerSession,
        at now: UnixTime,
        isInTime: @Sendable () -> Bool
    ) async throws(AdoptionFailure) -> IssuedTokens {
        guard let sessions = context.sessions, let subject = former.principal.subject else { throw .storeUnavailable }
        try await refuseRevoked(former, as: subject)
        let owner = try await owner(of: former, subject, at: now)
        guard isInTime() else { throw .late }
        guard context.secondsToWait(forSessionOf: owner.subject, at: now) == nil else { throw .tooManySessions }
        var opening = SessionOpening(
            subject: owner.subject,
            claims: owner.claims,
            scopes: former.principal.scopes,
            device: former.device,
            address: former.address,
            provider: Self.provider,
            binding: Confirmation(former.principal.claims).map { TokenBinding($0, bindsSession: true) },
            signedInAt: former.principal.issuedAt,
            authenticatedAt: former.authenticatedAt
        )
        opening.former = FormerToken(former.principal)
        // Nobody knows whether an app or a browser keeps the former tokens.
        opening.beganInBrowser = true
        let tokens: IssuedTokens
        do throws(IssuingError) {
            tokens = try await sessions.start(opening, at: now)
        } catch {
            throw AdoptionFailure(error)
        }
        do throws(AdoptionFailure) {
            // Meanwhile: both change something first and end sessions then, so that either is found here, or this
            // session there.
            try await refuseRevoked(former, as: owner.subject)
            _ = try await account(ofSubject: owner.subject)
        } catch {
            await end(tokens.sessionID, because: error.rawValue, at: now)
            throw error
        }
        return tokens
    }

    /// Ends a session whose tokens were never sent. If that fails it does no harm, and the session expires.
    func end(_ sessionID: String, because reason: String, at now: UnixTime) async {
        try? await context.sessions?.end(sessionID: sessionID, at: now, reason: "not delivered: \(reason)")
    }

    /// Whether a session exists and got no further tokens since it was begun.
    func isUnused(_ sessionID: String, at now: UnixTime) async throws(AdoptionFailure) -> Bool {
        do throws(IssuingError) {
            let session = try await context.sessions?.session(sessionID, at: now)
            return session.map { $0.lastUsedAt <= $0.createdAt } ?? false
        } catch {
            throw AdoptionFailure(error)
        }
    }

    private func refuseRevoked(_ former: FormerSession, as subject: String) async throws(AdoptionFailure) {
        guard await !context.revocations.isRevoked(former.principal, tenant: context.tenant.name) else {
            throw .revoked
        }
        // The hook may give the session to another subject: what ended that one's sessions ends what came before.
        let revoked = await context.revocations.latestRevocation(ofSubject: subject, tenant: context.tenant.name)
        // What began before that is not taken over, whichever token of it is shown.
        let began = [former.principal.issuedAt, former.authenticatedAt].compactMap(\.self).min() ?? .distantPast
        if let revoked, revoked >= began { throw .revoked }
    }

    // MARK: Whose it is

    private func owner(
        of former: FormerSession,
        _ subject: String,
        at now: UnixTime
    ) async throws(AdoptionFailure) -> Owner {
        var owner = Owner(subject: subject, claims: former.claims)
        let decision = try await decision(on: former, subject, at: now)
        if let decision, !decision.subject.utf8.elementsEqual(subject.utf8) {
            owner.subject = decision.subject
            try await refuseRevoked(former, as: owner.subject)
        }
        let account = try await account(ofSubject: owner.subject)
        if let account {
            if decision?.role == nil, let role = context.tenant.accounts.role, let other = account.role,
                !role.utf8.elementsEqual(other.utf8)
            {
                throw .otherRole
            }
            if account.role != nil { owner.dropRoles() }
            owner.claims = account.tokenClaims(nil, beside: owner.claims)
        }
        if let admission, await !admits(former, account, by: admission) { throw .notAllowed }
        if let decision {
            for member in decision.claims.members { owner.claims[member.name] = member.value }
            if let role = decision.role {
                owner.dropRoles()
                owner.claims["role"] = .string(role)
            }
        }
        guard JSONWriter.bytes(of: owner.claims).count <= Self.longestClaims else { throw .tooManyClaims }
        return owner
    }

    private func decision(
        on former: FormerSession,
        _ subject: String,
        at now: UnixTime
    ) async throws(AdoptionFailure) -> AccountHook.AdoptionDecision? {
        do throws(AccountProblem) {
            return try await accounts.hook?.adopt(
                issuer: former.principal.issuer,
                subject: subject,
                claims: former.claims,
                at: now
            )
        } catch {
            switch error {
            case .refusedByHook, .otherRole, .notAllowed: throw .refusedByHook
            case .unavailable: throw .hookUnavailable
            }
        }
    }

    /// By the account's e-mail, if it has one; which groups somebody is in only the token says.
    private func admits(_ former: FormerSession, _ account: Account?, by admission: Admission) async -> Bool {
        let groups = admission.groups(in: former.principal.claims)
        if let account, let email = account.email {
            return await admission.admits(groups: groups, email: email, isVerified: account.isEmailVerified)
        }
        return await admission.admits(groups: groups, email: former.email, isVerified: former.isEmailVerified)
    }

    /// - Returns: Nil if the subject has none.
    private func account(ofSubject subject: String) async throws(AdoptionFailure) -> Account? {
        let standing: AccountRepository.Standing
        do throws(AccountProblem) {
            standing = try await accounts.standing(ofSubject: subject)
        } catch {
            throw .storeUnavailable
        }
        switch standing {
        case .unknown: return nil
        case .known(let account): return account
        case .deleted: throw .deletedAccount
        }
    }
}

extension AdoptionFailure {
    fileprivate init(_ error: IssuingError) {
        switch error {
        case .refused, .unavailable: self = .storeUnavailable
        case .cannotSign: self = .cannotSign
        }
    }
}
