import Localization
import Logging
import Tenants
import Time
import Verification

/// Ends a session at its client's request (OpenID Connect RP-Initiated Logout 1.0).
///
/// Only the session's ID token ends it: a foreign page that leads a browser here has none.
struct LogoutEndpoint: Sendable {
    let context: SignInContext
    let sessions: SessionService
    let tokens: OwnTokens
    let issuer: BuiltInIssuer

    /// Why it fails.
    private enum Problem: Error {
        case form, hint, client, redirect, unavailable
    }

    func respond(to request: EndpointRequest) async -> EndpointResult {
        do throws(Problem) {
            let parameters = try parameters(request)
            let hint = try await hint(parameters, at: request.now)
            let client = try client(parameters, hint)
            let destination = try destination(parameters, client)
            if let sessionID = hint?.sessionID { try await end(sessionID, client, at: request.now) }
            if let destination { return .response(.redirect(to: destination, subject: hint?.subject)) }
            return .response(
                hint == nil
                    ? page(\.signOut, \.signOutInApp, for: request) : page(\.signedOut, \.signedOutAdvice, for: request)
            )
        } catch {
            return .response(page(of: error, for: request))
        }
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

    private func end(_ sessionID: String, _ client: IssuerClient?, at now: UnixTime) async throws(Problem) {
        try await mappingErrors({ _ in Problem.unavailable }) { () async throws(IssuingError) in
            try await sessions.end(sessionID: sessionID, at: now)
        }
        var metadata: Logger.Metadata = ["tenant": "\(context.tenant.name)", "session": "\(sessionID)"]
        if let client { metadata["client"] = "\(client.id)" }
        context.logger.info("signed out at the issuer", metadata: metadata)
    }
}

// MARK: - Pages

extension LogoutEndpoint {
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
