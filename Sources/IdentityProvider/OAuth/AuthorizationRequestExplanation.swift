package import Tenants
import Time

/// What an authorization request meets at an issuer, in words for people. It is decided by the code that serves it, for a
/// browser without a session at the issuer and for one that has just signed in.
package struct AuthorizationRequestExplanation {
    /// Whether the browser's session at the issuer is enough.
    package let singleSignOn: String
    /// Who the client is and what it must bring; nil without `client_id`.
    package let client: String?

    /// - Parameter query: Of the request, without `?`. What is in a body is not looked at.
    package init(_ query: [UInt8], at issuer: BuiltInIssuer) {
        let fields = (try? FormFields(query)) ?? FormFields()
        let client = fields["client_id"].flatMap { id in
            issuer.clients.first { $0.id.utf8.elementsEqual(id.utf8) }
        }
        singleSignOn = Self.singleSignOn(fields, client, issuer.singleSignOn)
        self.client = fields["client_id"].map { _ in
            client?.authenticationExplanation
                ?? "no client has this client_id: the browser gets a page that says so"
        }
    }

    private static func singleSignOn(
        _ fields: FormFields,
        _ client: IssuerClient?,
        _ rule: SingleSignOnRule
    ) -> String {
        let parameters: AuthenticationParameters
        do throws(AuthorizationError) {
            parameters = try AuthenticationParameters(fields)
        } catch {
            return "the client gets \(error.code.rawValue): \(error.description)"
        }
        let isReturnSafe = client?.isReturnSafe(fields["redirect_uri"]) ?? true
        let other = decision(parameters, isReturnSafe: isReturnSafe, hasSession: false)
        guard let lifetime = rule.lifetime else {
            let silent = other == .refuse(.loginRequired) ? ", and prompt=none gets login_required" : ""
            return "single sign-on is off: each client asks people to sign in\(silent)"
        }
        var text = "a browser that has signed in here needs no further sign-in for \(lifetime.shown)"
        switch decision(parameters, isReturnSafe: isReturnSafe, hasSession: true) {
        case .proceed:
            if let maxAge = parameters.maxAge { text += ", and for \(Int(maxAge)) s with this max_age" }
        case .offer: text += ", but for this request people press a button"
        case .signIn: text += ", but for this request people sign in again"
        case .refuse: text += ", but for this request the client gets an error"
        }
        return text + (other == .refuse(.loginRequired) ? "; for another the client gets login_required" : "")
    }

    private static func decision(
        _ parameters: AuthenticationParameters,
        isReturnSafe: Bool,
        hasSession: Bool
    ) -> SingleSignOnDecision {
        let now = UnixTime(1)
        return SingleSignOnDecision(
            parameters,
            hint: .none,
            session: hasSession ? session(begunAt: now) : nil,
            isReturnSafe: isReturnSafe,
            offersPasskeys: false,
            at: now
        )
    }

    private static func session(begunAt now: UnixTime) -> SingleSignOnSession {
        SingleSignOnSession(
            id: "",
            group: "",
            subject: "",
            way: SignInWay(name: SignIn.Provider.apple.rawValue, methods: []),
            identity: nil,
            startedAt: now,
            authenticatedAt: now,
            isProven: true,
            expiresAt: now
        )
    }
}

extension IssuerClient {
    /// As ``ClientReturn/isSafe(isPublic:)``.
    ///
    /// - Parameter redirectURI: Of the request; nil for the client's first.
    fileprivate func isReturnSafe(_ redirectURI: String?) -> Bool {
        let uri = (redirectURI ?? redirectURIs.first ?? "").lowercased()
        return uri.hasPrefix("https://") || uri.hasPrefix("http://") && !isPublic
    }

    /// How it authenticates, in words for people.
    package var authenticationExplanation: String {
        let methods = authMethods.map(\.rawValue).joined(separator: " or ")
        let pkce = needsPKCE ? "needs PKCE" : "may do without PKCE"
        return isPublic ? "the client is public and \(pkce)" : "the client authenticates by \(methods) and \(pkce)"
    }
}
