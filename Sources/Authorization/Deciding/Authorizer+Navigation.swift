import Counting
import HTTPCore
import Tenants
import Verification

/// `sign_in.unauthenticated`: a browser that opens a page without a good token is led to sign in, and back.
extension Authorizer {
    /// A refusal for lack of a good token, with the way to sign in if somebody sits before it.
    ///
    /// The decision stays the refusal that it is, in counts and logs. What has to be known about a browser that has just
    /// signed in, and is refused all the same, is known at the login.
    func leadingToSignIn(_ decision: Decision, _ input: DecisionInput, _ bytes: Span<UInt8>, login: String) -> Decision
    {
        guard case .refused(let refused, let tenant) = decision else {
            if input.decisionContext.explanation != nil { explainObserved(input, bytes, login: login) }
            return decision
        }
        guard let refusal = leadingToSignIn(refused, input, bytes, login: login) else { return decision }
        input.decisionContext.explanation?.noteNavigation(refusal, input.request.tenant.tenant, login: login)
        return .refused(refusal, tenant)
    }

    /// Explanations, and the tests of tenants.yaml, say what a rule that is only observed would do.
    private func explainObserved(_ input: DecisionInput, _ bytes: Span<UInt8>, login: String) {
        guard let observed = input.decisionContext.observed,
            let refusal = leadingToSignIn(observed.refusal, input, bytes, login: login)
        else { return }
        input.decisionContext.replaceObserved(ObservedRefusal(refusal: refusal, line: observed.line))
        input.decisionContext.explanation?
            .noteNavigation(refusal, input.request.tenant.tenant, login: login, isObserved: true)
    }

    /// - Returns: Nil for a refusal that a sign-in does not help, and for a client that is no browser.
    private func leadingToSignIn(
        _ refusal: Refusal,
        _ input: DecisionInput,
        _ bytes: Span<UInt8>,
        login: String
    ) -> Refusal? {
        guard refusal.status == 401, refusal.proofError == nil, let navigation = Navigation(input.head, bytes) else {
            return nil
        }
        var refusal = refusal
        let origin = Self.origin(input, bytes)
        let page = SignInPageAddress(login: login, origin: origin, code: refusal.code)
        let path = String(decoding: bytes.copy(input.request.target.path), as: UTF8.self)
        let asked = path + String(decoding: bytes.copy(input.request.target.query), as: UTF8.self)
        switch navigation.kind {
        case .page:
            refusal.status = 302
            refusal.fields.append(HeaderField("Location", page.url(after: asked)))
        case .form:
            // As GET, whatever the method was (RFC 9110 section 15.4.4).
            refusal.status = 303
            let referrer = navigation.referrer.map { String(decoding: bytes.copy($0), as: UTF8.self) }
            refusal.fields.append(HeaderField("Location", page.url(afterFormOf: referrer, path: path)))
        }
        return refusal
    }

    /// Of the request's URL, as the client knows it.
    private static func origin(_ input: DecisionInput, _ bytes: Span<UInt8>) -> String {
        // As for the login itself, which compares the two: an unknown scheme is not taken for TLS.
        let isSecure = ClientScheme.read(input.head, bytes, input.decisionContext).isSecure ?? false
        let scheme = isSecure ? "https" : "http"
        let authority =
            input.request.request.target.authority ?? input.head.host.map { input.head.fields[$0].value } ?? 0..<0
        return "\(scheme)://\(String(decoding: bytes.copy(authority), as: UTF8.self).lowercased())"
    }
}

extension Explanation {
    fileprivate func noteNavigation(
        _ refusal: Refusal,
        _ tenant: Tenant,
        login: String,
        isObserved: Bool = false
    ) {
        let start = isObserved ? "once that is enforced, " : ""
        note(
            .decision,
            "\(start)a browser opens a page: \(refusal.status) to sign in at \(login) (sign_in.unauthenticated)",
            line: tenant.lines["sign_in.unauthenticated"]
        )
    }
}

/// The login's URL with what it has to know.
struct SignInPageAddress {
    /// The login's path.
    let login: String
    /// Of the page and the login, without a trailing slash.
    let origin: String
    let code: RefusalCode

    /// - Parameter path: Of the page, with its query.
    func url(after path: String) -> String { url("", after: origin + path) }

    /// - Parameters:
    ///   - referrer: The page with the form; it counts if it is one of the same origin.
    ///   - path: Where the form was sent, which is the page if the browser does not name it.
    func url(afterFormOf referrer: String?, path: String) -> String {
        let isOwn = referrer?.utf8.starts(with: "\(origin)/".utf8) == true
        let page = isOwn ? referrer.map { String($0.prefix { $0 != "#" }) } : nil
        return url("&unsent=1", after: page ?? origin + path)
    }

    /// A page is left out that would make the login's target longer than that of any request may be: the browser is led
    /// to the app's start page then. This also bounds what is kept of each sign-in.
    private func url(_ further: String, after page: String) -> String {
        // Browsers send these as they are, and the login takes only what every URL may have (RFC 3986).
        let kept = PercentEncoding.encode(page.utf8) { (0x21...0x7E).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }
        let target = login + "?refused=\(code.rawValue)" + further
        let whole = target + "&after=" + PercentEncoding.encode(String(decoding: kept, as: UTF8.self))
        return origin + (whole.utf8.count <= RequestHeadParser.longestTarget ? whole : target)
    }
}
