import Localization
import Store

/// Why a browser sign-in ends with an error page.
enum SignInProblem: Error, Sendable, Equatable {
    /// Client or redirect URI are not registered: the client gets no redirect, since it may be an attacker's.
    case unknownClient
    /// A request that neither our pages, a provider nor an app sends.
    case malformed
    case methodNotAllowed(allowed: String)
    /// The sign-in never existed, was used, or has expired; the page does not say which.
    case over
    /// Another browser began the sign-in.
    case otherBrowser
    /// `after` leads to another origin.
    case foreignAfter
    /// The provider did not confirm an identity, or its token was refused.
    case notSignedIn
    /// With the account's role.
    case otherRole(String)
    /// With the account hook's status and message.
    case refusedByHook(status: Int, message: String)
    /// The tenant's `who` does not let this person in.
    case notAllowed
    /// Somebody has just signed in, and the page that they are led to refuses them all the same.
    case refusedAfterSignIn(RefusedToken)
    /// A form was sent without a good token, and is lost.
    case formNotSent
    case tooMany(retryAfterSeconds: Int?)
    /// A provider, by its name for people, does not answer, or not as it should.
    case providerUnavailable(String, retryAfterSeconds: Int?)
    case unavailable(retryAfterSeconds: Int?)
}

/// The page for a failed sign-in: what happened, what to do, and the identifier to search for in the logs. It does not
/// reveal which check failed.
struct SignInErrorPage: Sendable {
    struct Link: Sendable {
        let url: String
        let text: @Sendable (SignInTexts) -> String
    }

    let problem: SignInProblem
    let requestID: String
    /// A link back; nil if no safe target is known.
    var back: Link?

    func response(in frame: PageFrame, _ language: PageLanguage) -> EndpointResponse {
        let texts = SignInTexts(language)
        let said = problem.texts(texts)
        let name =
            requestID.isEmpty ? "" : " · " + FilledText.html(texts.request, html: HTMLText.escaped(requestID))
        let code = "\n<p class=\"quiet\">\(FilledText.html(texts.code, html: problem.code))\(name)</p>"
        let link =
            back.map { back in
                let text = HTMLText.escaped(back.text(texts))
                return "\n<p><a class=\"link\" href=\"\(HTMLText.escaped(back.url))\">\(text)</a></p>"
            } ?? ""
        return frame.response(
            status: problem.status,
            title: "\(said.title) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(said.title))</h1>
                <p>\(HTMLText.escaped(said.happened))</p>
                <p>\(HTMLText.escaped(said.advice))</p>\(link)\(code)
                """,
            language: language,
            further: problem.fields
        )
    }
}

extension SignInProblem {
    init(_ error: StoreError) {
        self = .unavailable(retryAfterSeconds: EndpointRefusal.storeUnavailable.retryAfterSeconds)
    }

    /// A label for the log, without personal data.
    var label: String {
        switch self {
        case .unknownClient: "unknown client or redirect URI"
        case .malformed: "malformed request"
        case .methodNotAllowed: "method not allowed"
        case .over: "sign-in over or unknown"
        case .otherBrowser: "other browser"
        case .foreignAfter: "after leads elsewhere"
        case .notSignedIn: "not signed in at the provider"
        case .otherRole: "other role"
        case .refusedByHook: "refused by the account hook"
        case .notAllowed: "not allowed"
        case .refusedAfterSignIn: "signed in and refused"
        case .formNotSent: "form not sent"
        case .tooMany: "rate limited"
        case .providerUnavailable: "provider unavailable"
        case .unavailable: "unavailable"
        }
    }

    /// What the page names, for support.
    var code: String {
        switch self {
        case .unknownClient: "unknown_client"
        case .malformed: "bad_request"
        case .methodNotAllowed: "method_not_allowed"
        case .over: "sign_in_over"
        case .otherBrowser: "other_browser"
        case .foreignAfter: "foreign_after"
        case .notSignedIn: "not_signed_in"
        case .otherRole: "other_role"
        case .refusedByHook: "refused_by_app"
        case .notAllowed: "not_allowed"
        case .refusedAfterSignIn(let code): code.rawValue
        case .formNotSent: "form_not_sent"
        case .tooMany: "rate_limited"
        case .providerUnavailable: "provider_unavailable"
        case .unavailable: "unavailable"
        }
    }

    var status: Int {
        switch self {
        case .unknownClient, .malformed, .over, .otherBrowser, .foreignAfter: 400
        case .notSignedIn, .refusedAfterSignIn, .formNotSent: 401
        case .methodNotAllowed: 405
        case .otherRole: 409
        case .refusedByHook(let status, _): status
        case .notAllowed: 403
        case .tooMany: 429
        case .unavailable, .providerUnavailable: 503
        }
    }

    fileprivate var fields: [EndpointResponse.Field] {
        switch self {
        case .methodNotAllowed(let allowed): [EndpointResponse.Field("Allow", allowed)]
        case .tooMany(let seconds?), .unavailable(let seconds?), .providerUnavailable(_, let seconds?):
            [EndpointResponse.Field("Retry-After", String(seconds))]
        // Every response with this status needs one (RFC 9110 section 15.5.2).
        case .notSignedIn, .refusedAfterSignIn, .formNotSent:
            [EndpointResponse.Field("WWW-Authenticate", "Bearer")]
        case .unknownClient, .malformed, .over, .otherBrowser, .foreignAfter, .otherRole, .refusedByHook, .notAllowed,
            .tooMany(nil), .unavailable(nil), .providerUnavailable(_, nil):
            []
        }
    }
}
