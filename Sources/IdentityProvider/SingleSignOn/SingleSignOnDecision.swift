import Time

/// What an authorization request asks about the sign-in itself (OpenID Connect Core section 3.1.2.1).
struct AuthenticationParameters: Sendable, Equatable {
    enum Prompt: String, Sendable, Hashable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    /// Without values that are not known: a client may send those of extensions.
    var prompts: Set<Prompt> = []
    /// Seconds; nil for any.
    var maxAge: Double?
    /// An ID token, unverified.
    var idTokenHint: String?
    var loginHint: String?
    var contextClasses: [String] = []
    /// As in the request.
    var locales: String?

    /// Whether a sign-in has to prove who it is: a provider that knows somebody already does not ask for that by
    /// itself.
    var wantsProof: Bool { prompts.contains(.login) || maxAge != nil }
}

/// Whom an `id_token_hint` names.
enum SubjectHint: Sendable, Equatable {
    case none
    /// - Parameter name: What the token calls them, for display.
    case subject(String, name: String? = nil)
    /// None of our ID tokens, or of a key that is gone.
    case unreadable
}

/// How an authorization request goes on: whether the browser's session at the issuer is enough for it.
enum SingleSignOnDecision: Sendable, Equatable {
    /// The client gets a code at once.
    case proceed
    /// A page with a button, since another app may have taken the client's place (RFC 8252 section 8.6), or since the
    /// client wants people to choose.
    case offer
    /// The page with the providers.
    ///
    /// - Parameter isAnew: Whether the provider is to ask who it is also where it knows somebody.
    case signIn(isAnew: Bool)
    case refuse(AuthorizationError)
}

extension SingleSignOnDecision {
    /// - Parameters:
    ///   - session: The browser's, whose subject may use it; nil if there is none.
    ///   - isReturnSafe: Whether nobody but the client gets what is sent to its redirect URI.
    ///   - offersPasskeys: Whether the page signs in with passkeys.
    init(
        _ parameters: AuthenticationParameters,
        hint: SubjectHint,
        session: SingleSignOnSession?,
        isReturnSafe: Bool,
        offersPasskeys: Bool,
        at now: UnixTime
    ) {
        let isSilent = parameters.prompts.contains(.none)
        func signIn(isAnew: Bool) -> SingleSignOnDecision {
            isSilent ? .refuse(.loginRequired) : .signIn(isAnew: isAnew)
        }
        guard let session else {
            self = signIn(isAnew: parameters.wantsProof)
            return
        }
        if parameters.prompts.contains(.login) || !session.isRecent(parameters.maxAge, at: now) {
            self = signIn(isAnew: true)
            return
        }
        switch hint {
        case .none: break
        case .subject(let subject, _) where subject.utf8.elementsEqual(session.subject.utf8): break
        case .subject: self = signIn(isAnew: true); return
        case .unreadable: self = signIn(isAnew: false); return
        }
        if !isSilent, offersPasskeys, parameters.contextClasses.contains(AuthenticationContext.phishingResistant),
            session.contextClass != AuthenticationContext.phishingResistant
        {
            // Voluntary (section 5.5.1.1): without a page the client gets what there is.
            self = .signIn(isAnew: false)
            return
        }
        if isReturnSafe, !parameters.prompts.contains(.selectAccount) {
            self = .proceed
        } else {
            self = isSilent ? .refuse(.interactionRequired) : .offer
        }
    }
}

extension SingleSignOnSession {
    /// Whether its subject proved who they are within `maxAge` seconds.
    func isRecent(_ maxAge: Double?, at now: UnixTime) -> Bool {
        guard let maxAge else { return true }
        return isProven && now - authenticatedAt <= maxAge
    }
}

/// What a sign-in under way must lead to.
struct SignInDemand: Sendable, Equatable {
    /// Seconds by which a provider's clock may differ.
    private static let leeway = 60.0

    /// Whether the provider is to ask who it is also where it knows somebody.
    var isAnew = false
    /// The one of the `id_token_hint`; nil for any.
    var subject: String?
    /// What that token calls them.
    var subjectName: String?
    /// The earliest `auth_time`; nil for any.
    var notBefore: UnixTime?
    /// Seconds; nil for any.
    var maxAge: Double?
    /// For the provider: whom to ask for.
    var loginHint: String?
    /// The session at the issuer that the page offers; nil if it offers none.
    var offered: String?

    func isMet(by subject: String) -> Bool { self.subject?.utf8.elementsEqual(subject.utf8) ?? true }

    /// - Parameters:
    ///   - signedInAt: When the provider says that the subject signed in; nil if it does not say.
    ///   - isProven: Whether it is known when they proved who they are.
    /// - Returns: The error for the client; nil if it is met.
    func problem(subject: String, signedInAt: UnixTime?, isProven: Bool) -> AuthorizationError? {
        guard isMet(by: subject) else { return .loginRequired }
        guard let notBefore else { return nil }
        guard isProven else { return .notAskedAnew }
        return signedInAt.map { $0 + Self.leeway < notBefore } ?? false ? .loginRequired : nil
    }
}

extension SignInDemand {
    init(_ parameters: AuthenticationParameters, hint: SubjectHint, isAnew: Bool, at now: UnixTime) {
        // Also beside a session that is young enough: on the page people may choose another account.
        self.isAnew = isAnew || parameters.wantsProof
        if case .subject(let subject, let name) = hint { (self.subject, subjectName) = (subject, name) }
        maxAge = parameters.maxAge
        if let maxAge { notBefore = now + -maxAge }
        if parameters.prompts.contains(.login) { notBefore = now }
        loginHint = parameters.loginHint
    }
}
