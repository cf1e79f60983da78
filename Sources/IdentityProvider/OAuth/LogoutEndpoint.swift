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

    /// Why it fails, as text for the user.
    private enum Problem: String, Error {
        case form = "The request to sign out cannot be read."
        case hint = "The request to sign out is not by this service, or is too old to be known."
        case client = "The request to sign out names another app than the one that was signed in to."
        case redirect = "The request to sign out names an address that the app has not registered."
        case unavailable = "It is not possible at the moment. Please try again."
    }

    func respond(to request: EndpointRequest) async -> EndpointResult {
        do throws(Problem) {
            let parameters = try parameters(request)
            let hint = try await hint(parameters, at: request.now)
            let client = try client(parameters, hint)
            let destination = try destination(parameters, client)
            if let sessionID = hint?.sessionID { try await end(sessionID, client, at: request.now) }
            if let destination { return .response(.redirect(to: destination, subject: hint?.subject)) }
            return .response(hint == nil ? explanation : page("You are signed out", "You can close this page."))
        } catch {
            return .response(page(for: error))
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
    /// For a request that names no session.
    private var explanation: EndpointResponse { page("Sign out", "To sign out, use the app that you signed in to.") }

    private func page(for problem: Problem) -> EndpointResponse {
        let title = "Signing out did not work"
        guard problem == .unavailable else { return page(title, problem.rawValue, status: 400) }
        var page = page(title, problem.rawValue, status: 503)
        page.fields.append(EndpointResponse.Field("Retry-After", "1"))
        return page
    }

    /// - Parameters:
    ///   - title: The gateway's own text, like `text`: neither is escaped.
    private func page(_ title: String, _ text: String, status: Int = 200) -> EndpointResponse {
        PageFrame(context.tenant).response(status: status, title: title, content: "<h1>\(title)</h1>\n<p>\(text)</p>")
    }
}
