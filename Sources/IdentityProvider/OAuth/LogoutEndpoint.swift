import Localization
import Logging
import Tenants
import Time
import Verification

/// Ends sessions at a client's request (OpenID Connect RP-Initiated Logout 1.0), and tells the other clients in hidden
/// frames (Front-Channel Logout 1.0).
///
/// With the session's ID token it ends that session, the browser's own session at the issuer, and all that were begun in
/// it. Without it the user is asked: a foreign page that leads a browser here has none.
struct LogoutEndpoint: Sendable {
    let context: SignInContext
    let sessions: SessionService
    let tokens: OwnTokens
    let issuer: BuiltInIssuer
    /// Nil for a tenant without it.
    let singleSignOn: SingleSignOn?

    /// Why it fails.
    private enum Problem: Error {
        case form, hint, client, redirect, unavailable
    }

    func respond(to request: EndpointRequest) async -> EndpointResult {
        do throws(Problem) {
            let parameters = try parameters(request)
            if let again = again(parameters, request) { return .response(again) }
            let hint = try await hint(parameters, at: request.now)
            let client = try client(parameters, hint)
            let destination = try destination(parameters, client)
            let browser = try await browserSession(request)
            let hasConfirmed = browser.map { isConfirmed($0.value, parameters, request) } ?? false
            if hint == nil, let browser, !hasConfirmed {
                return .response(question(parameters, browser.value, for: request))
            }
            let ended = try await end(hint, hasConfirmed ? browser?.session : nil, browser?.session, client, request)
            let isSignedOut = hint != nil || hasConfirmed
            var response = goodbye(
                to: destination,
                frames: SignOutFrames(ended, of: issuer),
                isSignedOut: isSignedOut,
                for: request
            )
            response.subject = hint?.subject ?? (hasConfirmed ? browser?.session.subject : nil)
            let isBrowsers = hasConfirmed || browser.map { isSubject(of: hint, $0.session) } ?? true
            if isSignedOut, isBrowsers, let singleSignOn {
                response.fields += singleSignOn.records.fieldsThatClear(request)
            }
            return .response(response)
        } catch {
            return .response(page(of: error, for: request))
        }
    }

    /// The browser's own session at the issuer, with the value of its cookie.
    private func browserSession(
        _ request: EndpointRequest
    ) async throws(Problem) -> (session: SingleSignOnSession, value: [UInt8])? {
        guard let singleSignOn, let value = singleSignOn.records.value(in: request) else { return nil }
        return try await mappingErrors({ _ in Problem.unavailable }) { () async throws(SignInFailure) in
            try await singleSignOn.read(request)
        }
        .map { ($0.session, value) }
    }

    // MARK: From another site

    private static let kept = ["client_id", "post_logout_redirect_uri", "state"]
    /// Bytes of a URL that every browser and server takes.
    private static let longestQuery = 6000

    /// Browsers send no cookie with a form of another site: the browser is led here by GET, with which it does. That
    /// leads to no other form, and so no further.
    ///
    /// - Returns: Nil for anything else, and for parameters that are too long: the ID token alone counts then.
    private func again(_ parameters: FormFields, _ request: EndpointRequest) -> EndpointResponse? {
        let isForeign = request.fields.secFetchSite.map { $0 == "cross-site" } ?? (request.fields.origin != nil)
        guard request.method == "POST", isForeign, let singleSignOn, singleSignOn.records.value(in: request) == nil
        else { return nil }
        let named = (["id_token_hint"] + Self.kept).compactMap { name in
            parameters[name].map { (name: name, value: $0) }
        }
        let query = FormText.text(of: named)
        let path = PagePath.encoded(issuer.basePath + IssuerPath.logout.rawValue)
        return query.utf8.count <= Self.longestQuery ? .redirect(to: "\(path)?\(query)") : nil
    }

    private func parameters(_ request: EndpointRequest) throws(Problem) -> FormFields {
        do throws(OAuthError) {
            guard request.method == "POST" else { return try OAuthForm.fields((request.query ?? "").utf8) }
            return try OAuthForm.read(request)
        } catch {
            throw .form
        }
    }

    /// The session's ID token, which may be expired (section 4).
    private func hint(_ parameters: FormFields, at now: UnixTime) async throws(Problem) -> Principal? {
        guard let token = parameters["id_token_hint"] else { return nil }
        let principal = try await mappingErrors({ _ in Problem.unavailable }) { () async throws(OAuthError) in
            try await tokens.verify(token, as: .id, at: now, allowExpired: true)
        }
        guard let principal, principal.sessionID != nil else { throw .hint }
        return principal
    }

    /// The client of the request, if it is one of the issuer's.
    private func client(_ parameters: FormFields, _ hint: Principal?) throws(Problem) -> IssuerClient? {
        guard let id = parameters["client_id"] else {
            return hint?.audiences.lazy.compactMap { issuer.clients.named($0) }.first
        }
        guard let client = issuer.clients.named(id) else { throw .client }
        if let hint, !hint.audiences.contains(where: { $0.utf8.elementsEqual(id.utf8) }) { throw .client }
        return client
    }

    private func destination(_ parameters: FormFields, _ client: IssuerClient?) throws(Problem) -> String? {
        guard let uri = parameters["post_logout_redirect_uri"] else { return nil }
        guard let client, client.postLogoutRedirectURIs.contains(where: { $0.utf8.elementsEqual(uri.utf8) }) else {
            throw .redirect
        }
        return FormText.url(uri, adding: parameters["state"].map { [("state", $0)] } ?? [])
    }

    /// Ends the session of the ID token, and those at the issuer with all that were begun in them. The former is the
    /// last: if ending another fails, the ID token still leads to the rest.
    ///
    /// - Parameters:
    ///   - confirmed: Whose end the user has confirmed.
    ///   - browser: The browser's, which ends too if it is of the ID token's subject.
    /// - Returns: The ended sessions, each once.
    private func end(
        _ hint: Principal?,
        _ confirmed: SingleSignOnSession?,
        _ browser: SingleSignOnSession?,
        _ client: IssuerClient?,
        _ request: EndpointRequest
    ) async throws(Problem) -> [SingleSignOn.EndedSession] {
        try await mappingErrors({ _ in Problem.unavailable }) { () async throws(IssuingError) in
            var ended: [SingleSignOn.EndedSession] = []
            var atIssuer: [(group: String, subject: String)] = confirmed.map { [($0.group, $0.subject)] } ?? []
            let own = hint?.sessionID
            var session: IssuerSession?
            if let own { session = try await sessions.session(own, at: request.now) }
            if let session, let group = session.singleSignOn { atIssuer.append((group, session.subject)) }
            if let browser, isSubject(of: hint, browser) { atIssuer.append((browser.group, browser.subject)) }
            if let singleSignOn {
                var done: Set<String> = []
                for (group, subject) in atIssuer where done.insert(group).inserted {
                    let all = try await singleSignOn.end(group, ofSubject: subject, butFor: own, at: request.now)
                    for session in all { log(session.id, session.clientID.flatMap { issuer.clients.named($0) }) }
                    ended += all
                }
            }
            if let own {
                try await sessions.end(sessionID: own, at: request.now)
                ended.insert(SingleSignOn.EndedSession(clientID: client?.id ?? session?.clientID, id: own), at: 0)
                log(own, client)
            }
            return ended
        }
    }

    private func isSubject(of hint: Principal?, _ session: SingleSignOnSession) -> Bool {
        hint?.subject.map { $0.utf8.elementsEqual(session.subject.utf8) } ?? false
    }

    private func log(_ sessionID: String, _ client: IssuerClient?) {
        var metadata: Logger.Metadata = ["tenant": "\(context.tenant.name)", "session": "\(sessionID)"]
        if let client { metadata["client"] = "\(client.id)" }
        context.logger.info("signed out at the issuer", metadata: metadata)
    }

    // MARK: Without an ID token

    private static let confirmation = "confirm"

    /// What the form of the question has, and no other site can know: it is derived from the cookie.
    private func token(_ value: [UInt8]) -> String {
        Base64URL.encode(HMACSHA256.code(of: Array("sign-out at the issuer".utf8), key: value))
    }

    private func isConfirmed(_ value: [UInt8], _ parameters: FormFields, _ request: EndpointRequest) -> Bool {
        guard request.method == "POST", let sent = parameters[Self.confirmation] else { return false }
        return PlainText.areEqual(sent, token(value))
    }

    /// Asks the user (RP-Initiated Logout section 2); the form has what the request had.
    private func question(
        _ parameters: FormFields,
        _ value: [UInt8],
        for request: EndpointRequest
    ) -> EndpointResponse {
        let frame = PageFrame(context.tenant)
        let language = frame.language(of: request)
        let texts = SignInTexts(language)
        let kept = Self.kept.compactMap { name in
            parameters[name].map { (name, $0) }
        }
        let inputs = (kept + [(Self.confirmation, token(value))]).map {
            "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(HTMLText.escaped($0.1))\">"
        }
        let path = issuer.basePath + IssuerPath.logout.rawValue
        let target = parameters["post_logout_redirect_uri"].map { [PagePolicy.source(of: $0)] } ?? []
        return frame.response(
            status: 200,
            title: "\(texts.signOut) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.signOut))</h1>
                <p>\(HTMLText.escaped(texts.signOutQuestion))</p>
                <form method="post" action="\(HTMLText.escaped(PagePath.encoded(path)))">\(inputs.joined())\
                <button class="button"><span>\(HTMLText.escaped(texts.signOut))</span></button></form>
                """,
            language: language,
            policy: (PagePolicy(form: path, targets: target), request.authority)
        )
    }
}

// MARK: - Pages

extension LogoutEndpoint {
    /// Leads on, by way of a page where there are clients to tell.
    private func goodbye(
        to destination: String?,
        frames: SignOutFrames,
        isSignedOut: Bool,
        for request: EndpointRequest
    ) -> EndpointResponse {
        if frames.urls.isEmpty {
            if let destination { return .redirect(to: destination) }
            return isSignedOut
                ? page(\.signedOut, \.signedOutAdvice, for: request) : page(\.signOut, \.signOutInApp, for: request)
        }
        return frames.page(leadingTo: destination, in: PageFrame(context.tenant), for: request)
    }

    private func page(of problem: Problem, for request: EndpointRequest) -> EndpointResponse {
        let reason: KeyPath<SignInTexts, String> =
            switch problem {
            case .form: \.signOutUnreadable
            case .hint: \.signOutUnknown
            case .client: \.signOutOtherApp
            case .redirect: \.signOutElsewhere
            case .unavailable: \.signOutUnavailable
            }
        guard problem == .unavailable else { return page(\.signOutFailed, reason, status: 400, for: request) }
        var page = page(\.signOutFailed, reason, status: 503, for: request)
        page.fields.append(EndpointResponse.Field("Retry-After", "1"))
        return page
    }

    private func page(
        _ title: KeyPath<SignInTexts, String>,
        _ text: KeyPath<SignInTexts, String>,
        status: Int = 200,
        for request: EndpointRequest
    ) -> EndpointResponse {
        let frame = PageFrame(context.tenant)
        let language = frame.language(of: request)
        let texts = SignInTexts(language)
        return frame.response(
            status: status,
            title: texts[keyPath: title],
            content: """
                <h1>\(HTMLText.escaped(texts[keyPath: title]))</h1>
                <p>\(HTMLText.escaped(texts[keyPath: text]))</p>
                """,
            language: language
        )
    }
}
