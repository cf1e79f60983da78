import Localization
import Logging
import Store
import Tenants
import Verification

/// Forms of the account page.
extension AccountEndpoints {
    func change(_ action: AccountAction, _ fields: FormFields, _ request: EndpointRequest) async -> EndpointResponse {
        var cookies: [EndpointResponse.Field] = []
        do throws(AccountNotice) {
            guard let visitor = try await visitor(request) else {
                return action.takesJSON ? scripted(.signInAgain, request, []) : signedOut(request, 401)
            }
            cookies = visitor.cookies
            guard visitor.sent(fields["token"]) else { throw .outdated }
            if action == .beginPasskey { return try await begin(visitor, request) }
            if let response = try await deletion(action, visitor, request) { return response }
            var atIssuer: [EndpointResponse.Field] = []
            if action == .signOut, fields["session"] == visitor.session.id {
                // Otherwise the next app would be opened without a sign-in. First, while they can come again if it
                // fails.
                atIssuer = try await endAtIssuer(visitor, request)
            }
            let notice = try await carryOut(action, fields, visitor, request)
            if !action.removesWayIn { log(action, visitor, request) }
            if notice == .signedOut { cookies = self.cookies.fieldsThatClear(request) + atIssuer }
            if notice == .othersEnded {
                cookies = try await newSession(visitor, request)
                cookies += try await endAtIssuer(visitor, request)
            }
            return response(action, notice, request, cookies)
        } catch {
            return response(action, error, request, cookies)
        }
    }

    private func response(
        _ action: AccountAction,
        _ notice: AccountNotice,
        _ request: EndpointRequest,
        _ cookies: [EndpointResponse.Field]
    ) -> EndpointResponse {
        action.takesJSON
            ? scripted(notice, request, cookies) : .redirect(to: location(notice), fields: cookies)
    }

    /// For the script: where to go on, or a message.
    private func scripted(
        _ notice: AccountNotice,
        _ request: EndpointRequest,
        _ cookies: [EndpointResponse.Field]
    ) -> EndpointResponse {
        guard notice.status != 200 else { return .json(["location": .string(location(notice))], fields: cookies) }
        let texts = AccountTexts(frame.language(of: request))
        return .json(["message": .string(notice.text(texts))], status: notice.status, fields: cookies)
    }

    private func carryOut(
        _ action: AccountAction,
        _ fields: FormFields,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> AccountNotice {
        let subject = visitor.account.subject
        // Whoever finds a browser open takes nobody's ways in away.
        if action.removesWayIn, !visitor.hasJustSignedIn(at: request.now) { throw .signInAgain }
        switch action {
        case .signOut: return try await signOut(fields["session"], visitor, request)
        case .signOutOthers: return try await signOutOthers(visitor, request)
        case .unlink:
            guard let provider = fields["provider"].flatMap(SignIn.Provider.init), let login = fields["subject"] else {
                throw .notThere
            }
            try await remove(action, of: provider.rawValue, visitor, request) {
                keeping async throws(AccountChangeProblem) in
                try await keeping.unlink(
                    Account.Identity(provider: provider, subject: login),
                    ofSubject: subject,
                    at: request.now
                )
            }
            return .unlinked
        case .renamePasskey:
            let id = try Self.passkey(fields)
            guard let name = fields["name"].flatMap(Self.name) else { throw .notThere }
            try await keep { keeping async throws(AccountChangeProblem) in
                try await keeping.renamePasskey(id, ofSubject: subject, to: name)
            }
            return .renamed
        case .removePasskey:
            let id = try Self.passkey(fields)
            try await remove(action, of: SignIn.Provider.passkey, visitor, request) {
                keeping async throws(AccountChangeProblem) in
                try await keeping.removePasskey(id, ofSubject: subject)
                counts.count(tenant: context.tenant.name, passkey: .removed)
            }
            return .removed
        case .addPasskey, .beginPasskey: return try await add(fields, visitor, request)
        // Only where there are no deletions.
        case .askDeletion, .deleteAccount: throw .notThere
        }
    }

    /// Takes a way in away, and then ends the sessions that it has begun.
    private func remove(
        _ action: AccountAction,
        of way: String,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest,
        _ change: (any AccountKeeping) async throws(AccountChangeProblem) -> Void
    ) async throws(AccountNotice) {
        do throws(AccountNotice) {
            try await keep(change)
            log(action, visitor, request)
        } catch {
            // It may have been taken away by a request that got no further.
            if error == .notThere { try await endSessions(begunBy: way, visitor, request) }
            throw error
        }
        try await endSessions(begunBy: way, visitor, request)
    }

    private func keep(
        _ change: (any AccountKeeping) async throws(AccountChangeProblem) -> Void
    ) async throws(AccountNotice) {
        do throws(AccountChangeProblem) {
            try await change(keeping)
        } catch {
            throw AccountNotice(error)
        }
    }

    private static func passkey(_ fields: FormFields) throws(AccountNotice) -> [UInt8] {
        guard let id = PasskeyFields.bytes(fields["passkey"]) else { throw .notThere }
        return id
    }

    private static func name(_ text: String) -> String? {
        BoundedText.kept(text, bytes: AccountPasskey.longestName)
    }

    /// The audit of changes by people themselves.
    private func log(_ action: AccountAction, _ visitor: AccountVisitor, _ request: EndpointRequest) {
        context.logger.notice(
            "an account was changed by its owner",
            metadata: [
                "tenant": "\(context.tenant.name)", "subject": "\(visitor.account.subject)",
                "session": "\(visitor.session.id)", "action": "\(action.rawValue)", "request": "\(request.id)",
            ]
        )
    }
}

// MARK: - Sessions

extension AccountEndpoints {
    private static let reason = "signed out on the account page"

    /// Ends one of the visitor's sessions, and no other.
    private func signOut(
        _ id: String?,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> AccountNotice {
        guard let id, let session = try await stored(id, at: request.now),
            session.belongs(to: visitor.account.subject)
        else { throw .notThere }
        try await end(session.id, request)
        return session.id == visitor.session.id ? .signedOut : .sessionEnded
    }

    /// Ends everything that was begun before now: also what is in no list yet, and codes that are not redeemed. The visitor
    /// gets a new session.
    private func signOutOthers(
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> AccountNotice {
        try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            try await sessions.endAll(
                ofSubject: visitor.account.subject,
                before: request.now,
                at: request.now,
                reason: Self.reason,
                as: .signedOut
            )
        }
        return .othersEnded
    }

    /// Begins with the next second: of the tokens of this one nobody can tell whether they were issued before.
    ///
    /// - Returns: The cookies of a session like the visitor's, and no newer a sign-in.
    private func newSession(
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> [EndpointResponse.Field] {
        let session = visitor.session
        var opening = SessionOpening(
            subject: session.subject,
            claims: session.claims,
            scopes: session.scopes,
            device: request.fields.userAgent,
            address: ClientAddressText.text(of: request.clientAddress),
            provider: session.provider,
            authenticatedAt: session.authenticatedAt,
            isProven: session.isProven
        )
        opening.beganInBrowser = true
        let tokens = try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            try await sessions.start(opening, at: request.now.nextSecond)
        }
        return cookies.fields(for: tokens, refreshCookie: web.refreshCookie, at: request.now)
    }

    /// Ends the sessions that a way in has begun which is no longer one, at all tenants of the realm. The visitor's own goes
    /// on: they have just signed in, and have removed it.
    private func endSessions(
        begunBy way: String,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) {
        try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            for service in realmSessions {
                let all = try await service.storedSessions(ofSubject: visitor.account.subject, at: request.now)
                for session in all where session.provider == way && session.id != visitor.session.id {
                    try await service.end(sessionID: session.id, at: request.now, reason: "its way in was removed")
                }
            }
        }
    }

    private func end(_ id: String, _ request: EndpointRequest) async throws(AccountNotice) {
        try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            try await sessions.end(sessionID: id, at: request.now, reason: Self.reason, as: .signedOut)
        }
    }
}

// MARK: - New passkeys

extension AccountEndpoints {
    /// The options for a new passkey, as JSON.
    private func begin(
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> EndpointResponse {
        let site = try addingSite(visitor, request)
        guard visitor.account.passkeys.count < AccountPasskey.most else { throw .tooManyPasskeys }
        let challenge = try await mappingErrors({ _ in AccountNotice.unavailable }) { () async throws(StoreError) in
            try await challenges.make(forSession: visitor.session.id)
        }
        let options = site.creationOptions(challenge, for: visitor.account)
        return .json(["options": .object(options)], fields: visitor.cookies)
    }

    private func add(
        _ fields: FormFields,
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> AccountNotice {
        let site = try addingSite(visitor, request)
        guard let challenge = PasskeyFields.bytes(fields["challenge"]),
            let registration = PasskeyFields.registration(fields)
        else { throw .refused }
        let isGood = try await mappingErrors({ _ in AccountNotice.unavailable }) { () async throws(StoreError) in
            try await challenges.use(challenge, ofSession: visitor.session.id)
        }
        guard isGood else { throw .outdated }
        let credential: PasskeyCredential
        do throws(PasskeyFailure) {
            credential = try registration.credential(site.expectation(challenge, of: request))
        } catch {
            counts.count(tenant: context.tenant.name, passkey: .refused)
            context.logger.notice(
                "a new passkey is refused",
                metadata: [
                    "tenant": "\(context.tenant.name)", "subject": "\(visitor.account.subject)", "reason": "\(error)",
                    "request": "\(request.id)",
                ]
            )
            throw .refused
        }
        let texts = AccountTexts(frame.language(of: request))
        let passkey = AccountPasskey(
            credential: credential,
            name: fields["name"].flatMap(Self.name) ?? texts.newPasskey,
            addedAt: request.now
        )
        try await keep { keeping async throws(AccountChangeProblem) in
            try await keeping.add(passkey, toSubject: visitor.account.subject, at: request.now)
        }
        counts.count(tenant: context.tenant.name, passkey: .added)
        return .added
    }

    /// The site of new passkeys, for somebody who has just signed in.
    private func addingSite(
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) throws(AccountNotice) -> PasskeySite {
        guard let site = site(of: request) else { throw .refused }
        guard visitor.hasJustSignedIn(at: request.now) else { throw .signInAgain }
        return site
    }
}
