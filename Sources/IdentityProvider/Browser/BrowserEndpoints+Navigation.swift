import Tenants

/// Browsers that opened a page without a good token, and were led to the login (`sign_in.unauthenticated`).
extension BrowserEndpoints {
    /// The page that such a browser gets instead of a sign-in.
    ///
    /// - Parameters:
    ///   - fields: Of the login's URL: `refused` has the code of the refusal, `unsent` says that a form was sent.
    ///   - page: To which a sign-in leads.
    /// - Returns: Nil if it can sign in.
    func pageBeforeSignIn(
        _ fields: FormFields,
        _ page: PostSignInTarget,
        _ request: EndpointRequest
    ) throws(SignInProblem) -> EndpointResponse? {
        guard leadsNavigations, let refused = fields["refused"] else { return nil }
        guard let code = RefusedToken(rawValue: refused) else { throw .malformed }
        let again = FormText.url(request.origin + request.path, adding: [("after", page.url)])
        if SignInMark.isSet(for: page.url, in: request) {
            log(.warning, "signed in and refused: \(code.rawValue)", request)
            var response = errorPage(
                .refusedAfterSignIn(code),
                of: request,
                back: SignInErrorPage.Link(url: again) { $0.signInAgain }
            )
            response.fields += SignInMark.fieldsThatClear(request)
            return response
        }
        guard fields["unsent"] != nil else { return nil }
        return errorPage(.formNotSent, of: request, back: SignInErrorPage.Link(url: again) { $0.signIn })
    }

    /// The mark of a browser that has signed in for a page; none where browsers are not led to the login.
    func mark(for page: String, _ request: EndpointRequest) -> [EndpointResponse.Field] {
        leadsNavigations ? [SignInMark.cookie(for: page, isSecure: request.isSecure)] : []
    }

    /// The request's own origin, where browsers are led to the login from any page of it.
    func ownOrigin(_ request: EndpointRequest) -> String? { leadsNavigations ? request.origin : nil }

    private var leadsNavigations: Bool { context.tenant.signIn?.navigations == .signIn }
}
