import Logging
import Store
import Tenants
import Time
import Verification

/// Single sign-on at a tenant's own issuer: begins, finds and ends the sessions that browsers have there.
struct SingleSignOn: Sendable {
    /// A session whose subject may use it now.
    struct Found: Sendable {
        let session: SingleSignOnSession
        let account: Account
    }

    /// A session of a client that has just been ended.
    struct EndedSession: Sendable, Equatable {
        /// Nil for the tenant's own apps.
        let clientID: String?
        /// `sid`.
        let id: String
    }

    private let context: SignInContext
    private let sessions: SessionService
    private let counts: SignInCounts
    let records: SingleSignOnRecords
    private let lifetime: Double

    /// - Returns: Nil for a tenant without it.
    init?(_ context: SignInContext, counts: SignInCounts) {
        guard let lifetime = context.tenant.issuer?.singleSignOn.lifetime, let sessions = context.sessions else {
            return nil
        }
        self.context = context
        self.sessions = sessions
        self.counts = counts
        self.lifetime = lifetime.secondsAsDouble
        records = SingleSignOnRecords(store: context.store, tenant: context.tenant.name)
    }

    /// The browser's session, unless its subject was revoked since, its account is gone or changed, or it may not sign in
    /// any more.
    ///
    /// - Throws: If that is not known.
    func find(_ request: EndpointRequest) async throws(SignInFailure) -> Found? {
        guard let (session, isLive) = try await read(request), isLive else { return nil }
        if let revoked = await context.revocations.latestRevocation(
            ofSubject: session.subject,
            tenant: context.tenant.name
        ), revoked >= session.startedAt {
            // Now: the revocation may be forgotten before the session is over.
            try await mappingErrors(SignInFailure.init) { () async throws(StoreError) in
                try await records.groups.end(session.group)
            }
            return nil
        }
        do throws(AccountProblem) {
            guard let account = try await context.accounts.account(ofSubject: session.subject) else { return nil }
            if context.accountsMayChange || session.way.passkey != nil, !account.isEntered(by: session) { return nil }
            if let identity = session.identity { try await context.accounts.check(identity) }
            return Found(session: session, account: account)
        } catch {
            switch error {
            case .otherRole, .refusedByHook, .notAllowed: return nil
            case .unavailable: throw .account(error)
            }
        }
    }

    /// Whatever its subject may do, and also if it has ended: what was begun in it may go on, where a sign-out failed.
    func read(
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> (session: SingleSignOnSession, isLive: Bool)? {
        guard let value = records.value(in: request) else { return nil }
        do throws(StoreError) {
            return try await records.read(value, at: request.now)
        } catch .garbled(let reason) {
            context.logger.error("a single sign-on session cannot be read", metadata: ["reason": "\(reason)"])
            return nil
        } catch {
            throw SignInFailure(error)
        }
    }

    /// Begins a session after a sign-in: always with a new cookie, against session fixation, in place of the browser's
    /// earlier one. If that was the same subject's, or they have signed in there at the same time, it is of the same group:
    /// a later sign-out ends what was begun in either. If it was somebody else's, they are signed out.
    ///
    /// - Parameters:
    ///   - identity: The provider's; nil after a passkey.
    ///   - isProven: Whether they have proved who they are.
    func begin(
        _ account: Account,
        _ way: SignInWay,
        _ identity: ProviderIdentity?,
        isProven: Bool,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> (group: String, cookie: EndpointResponse.Field) {
        let now = request.now
        // Each is kept for as long as it may be used.
        if let seconds = context.secondsToWait(forSessionOf: account.subject, at: now) {
            throw .tooMany(retryAfterSeconds: seconds)
        }
        let (value, id) = SingleSignOnRecords.makeValue()
        let browser = records.browsers.value(in: request)
        let goingOn = try await group(goingOnFor: account.subject, in: browser, request)
        let begun = SingleSignOnSession(
            id: id,
            group: goingOn ?? id,
            subject: account.subject,
            way: way,
            identity: identity?.kept,
            startedAt: now,
            authenticatedAt: min(way.signedInAt ?? now, now),
            isProven: isProven,
            expiresAt: now + lifetime
        )
        let session = try await mappingErrors(SignInFailure.init) { () async throws(StoreError) in
            try await records.add(begun, value: value, in: goingOn == nil ? browser : nil, for: lifetime, at: now)
        }
        counts.count(tenant: context.tenant.name, singleSignOn: .begun)
        return (session.group, records.cookie(value, seconds: lifetime, isSecure: request.isSecure))
    }

    /// The identifier of a browser in which a sign-in begins.
    func browserCookie(for request: EndpointRequest) -> EndpointResponse.Field {
        records.browsers.cookie(for: request, seconds: lifetime)
    }

    /// The group of the browser's earlier session; nil if there is none, it has ended, or it was another subject's.
    private func group(
        goingOnFor subject: String,
        in browser: [UInt8]?,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> String? {
        guard let (earlier, hasNotEnded) = try await read(request) else { return nil }
        guard earlier.subject.utf8.elementsEqual(subject.utf8) else {
            _ = try await mappingErrors(SignInFailure.init) { () async throws(IssuingError) in
                try await end(earlier.group, ofSubject: earlier.subject, at: request.now)
            }
            return nil
        }
        let isLive = try await mappingErrors(SignInFailure.init) { () async throws(StoreError) in
            // One that has ended must not take the place of what has begun since.
            try await records.move(earlier, in: hasNotEnded ? browser : nil, for: lifetime)
        }
        return isLive ? earlier.group : nil
    }

    func count(_ event: SignInCounts.SingleSignOnEvent) {
        counts.count(tenant: context.tenant.name, singleSignOn: event)
    }
}

// MARK: - Endings

extension SingleSignOn {
    private static let reason = "signed out at the issuer"

    /// Ends a session at the issuer, and every session of a client that was begun in it. All sign-outs there come here.
    ///
    /// If it fails in between, whoever calls it again with what they have, the cookie or `last`, ends the rest.
    ///
    /// - Parameters:
    ///   - group: Of the session; known or not.
    ///   - last: A session of a client that is left for the caller to end.
    /// - Returns: The ended sessions of clients, at most 256.
    func end(
        _ group: String,
        ofSubject subject: String,
        butFor last: String? = nil,
        at now: UnixTime
    ) async throws(IssuingError) -> [EndedSession] {
        try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            // First, so that no more are begun.
            try await records.groups.end(group)
        }
        var ended: [EndedSession] = []
        for session in try await sessions.storedSessions(ofSubject: subject, at: now)
        where session.id != last && session.singleSignOn.map({ $0.utf8.elementsEqual(group.utf8) }) ?? false {
            try await sessions.end(sessionID: session.id, at: now, reason: Self.reason, leavesBrowser: true)
            ended.append(EndedSession(clientID: session.clientID, id: session.id))
        }
        try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await records.remove(group)
        }
        count(.ended)
        return ended
    }
}
