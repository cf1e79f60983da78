import Store
import Tenants
import Time

extension ExchangeEndpoints {
    /// Apple's server-to-server events. Apple repeats an event until it gets 200. Repeats are harmless: sessions that
    /// began after the event continue.
    func receiveNotification(_ request: EndpointRequest, _ apple: AppleSignIn) async -> EndpointResult {
        do throws(EarlySignInResponse) {
            let event = try await mappingErrors(EarlySignInResponse.init) { () async throws(EndpointRefusal) in
                try await checks.appleEvent(request.body, at: request.now)
            }
            context.logger.info(
                "Apple reports an account event",
                metadata: [
                    "tenant": "\(context.tenant.name)", "event": "\(event.kind.label)", "request": "\(request.id)",
                ]
            )
            guard event.kind.endsSessions else {
                try await tellHook(event, at: request.now)
                return Self.noted
            }
            try await endSessions(event, of: request)
            if event.kind == .accountDeleted { try await forget(event, at: request.now) }
            // After what must happen whether or not the hook is up.
            try await tellHook(event, at: request.now)
            guard apple.then == .forward else { return Self.noted }
            try await revokeAtBackend(event)
            let identity = ProviderIdentity(provider: .apple, subject: event.subject)
            return .forward(ForwardedSignIn(identity: identity))
        } catch {
            return error.result
        }
    }

    private static let noted = EndpointResult.response(.json([:]))

    /// Ends every session of the account that had begun by then, at all tenants in the realm.
    private func endSessions(_ event: AppleEvent, of request: EndpointRequest) async throws(EarlySignInResponse) {
        let account = try await mappingErrors(EarlySignInResponse.init) { () async throws(AccountProblem) in
            try await context.accounts.account(of: Account.Identity(provider: .apple, subject: event.subject))
        }
        guard let account else {
            // Somebody without an account, or one who was not moved yet after the app was.
            context.logger.notice(
                "Apple reports an event about somebody who has no account here",
                metadata: [
                    "tenant": "\(context.tenant.name)", "event": "\(event.kind.label)", "request": "\(request.id)",
                ]
            )
            return
        }
        for sessions in realmSessions {
            try await mappingErrors(EarlySignInResponse.init) { () async throws(IssuingError) in
                try await sessions.endAll(
                    ofSubject: account.subject,
                    before: event.happenedAt,
                    at: request.now,
                    reason: "Apple: \(event.kind.label)"
                )
            }
        }
    }

    /// If the hook is down Apple gets 503, and repeats the event.
    private func tellHook(_ event: AppleEvent, at now: UnixTime) async throws(EarlySignInResponse) {
        guard let hook = context.hook else { return }
        let identity = Account.Identity(provider: .apple, subject: event.subject)
        try await mappingErrors(EarlySignInResponse.init) { () async throws(AccountProblem) in
            let told = AccountHook.Event(
                type: event.kind.name,
                identity: identity,
                account: try await context.accounts.account(of: identity)?.subject,
                email: event.email,
                isPrivateEmail: event.isPrivateEmail,
                happenedAt: event.happenedAt
            )
            try await hook.tell(told, at: now)
        }
    }

    /// The next owner of the deleted account's e-mail address is a different person.
    private func forget(_ event: AppleEvent, at now: UnixTime) async throws(EarlySignInResponse) {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(AccountProblem) in
            try await context.accounts.forget(Account.Identity(provider: .apple, subject: event.subject), at: now)
        }
    }

    /// The backend may use Apple's identifiers as subjects in its tokens.
    private func revokeAtBackend(_ event: AppleEvent) async throws(EarlySignInResponse) {
        let revocation = Revocation(
            tenant: context.tenant.name,
            target: .subject(event.subject),
            revokedAt: event.happenedAt,
            expiresAt: event.happenedAt + context.tenant.reportedRevocationLife,
            reason: "Apple: \(event.kind.label)"
        )
        try await mappingErrors(EarlySignInResponse.init) { () async throws(StoreError) in
            try await context.revocations.revoke([revocation])
        }
    }
}

extension AppleEvent.Kind {
    /// Whether sessions from before the event must end.
    fileprivate var endsSessions: Bool {
        switch self {
        case .consentRevoked, .accountDeleted: true
        case .emailDisabled, .emailEnabled, .other: false
        }
    }

    /// Apple's name for the event.
    fileprivate var label: String {
        switch self {
        case .emailDisabled: "email-disabled"
        case .emailEnabled: "email-enabled"
        case .consentRevoked: "consent-revoked"
        case .accountDeleted: "account-delete"
        case .other: "other"
        }
    }

    /// As Apple names it.
    fileprivate var name: String {
        if case .other(let type) = self { type } else { label }
    }
}
