import Logging
import Tenants
import Time
import Verification

/// The page at which people see and end their sessions, and see and change how they sign in.
///
/// It works with links and forms; a script is needed for new passkeys alone. Each form has a token of the session, and
/// comes from a page of the same site by what the browser says of it.
struct AccountEndpoints: Sendable {
    typealias Verify = @Sendable (_ token: String, _ now: UnixTime) async -> Result<Principal, EndpointRefusal>

    let context: SignInContext
    let page: PathPattern
    let web: WebSignIn
    let sessions: SessionService
    let keeping: any AccountKeeping
    let challenges: PasskeyChallenges
    let cookies: SessionCookies
    let counts: SignInCounts
    let verify: Verify
    private let crossSite: CrossSiteCheck
    private let frame: PageFrame

    /// - Parameter verify: Verifies an access token of the tenant's own issuer.
    /// - Returns: Nil for a tenant without such a page.
    init?(_ context: SignInContext, verify: @escaping Verify, counts: SignInCounts) {
        guard let page = context.tenant.signIn?.accountPage, let web = context.tenant.signIn?.web,
            let sessions = context.sessions, let keeping = context.keeping
        else { return nil }
        self.context = context
        self.page = page
        self.web = web
        self.sessions = sessions
        self.keeping = keeping
        self.verify = verify
        self.counts = counts
        challenges = PasskeyChallenges(store: context.store, tenant: context.tenant.name)
        cookies = SessionCookies(context.tenant)
        crossSite = CrossSiteCheck(context.tenant)
        frame = PageFrame(context.tenant)
    }

    func respond(to request: EndpointRequest) async -> EndpointResult {
        if request.endpoint == .passkeyScript { return .response(PasskeyScript.response) }
        // Origins that are trusted elsewhere are not here: the page has what its forms are known by.
        guard isFromOwnOrigin(request) else { return .refused(.crossSite) }
        guard request.method == "POST" else { return .response(await show(request)) }
        guard crossSite.allows(request) else { return .refused(.crossSite) }
        guard OAuthForm.isForm(request), let fields = try? FormFields(request.body),
            let action = fields["action"].flatMap(AccountAction.init)
        else { return .refused(.badRequest("this is no form of the account page")) }
        return .response(await change(action, fields, request))
    }

    /// Browsers name the origin of scripts of other origins, and of forms.
    private func isFromOwnOrigin(_ request: EndpointRequest) -> Bool {
        guard let origin = request.fields.origin else { return true }
        return ["https", "http"].contains { "\($0)://\(request.authority)" == origin.lowercased() }
    }

    /// The site of passkeys, if they work on the host of the request.
    func site(of request: EndpointRequest) -> PasskeySite? {
        guard let rules = context.tenant.signIn?.passkeys else { return nil }
        let site = PasskeySite(rules, of: context.tenant)
        return site.isFor(request) ? site : nil
    }

    /// The page with a notice, in a query.
    func location(_ notice: AccountNotice) -> String {
        FormText.url(PagePath.encoded(page.description), adding: [(AccountNotice.parameter, notice.rawValue)])
    }
}

// MARK: - The page

extension AccountEndpoints {
    private func show(_ request: EndpointRequest) async -> EndpointResponse {
        let texts = AccountTexts(PageLanguage(accepted: request.fields.acceptLanguage))
        let asked = (try? FormFields(Array((request.query ?? "").utf8)))?[AccountNotice.parameter]
        let notice = asked.flatMap(AccountNotice.init)
        do throws(AccountNotice) {
            guard let visitor = try await visitor(request) else {
                return notice == .signedOut ? signedOut(request, 200) : .redirect(to: signInURL(request))
            }
            return try await show(visitor, texts, notice == .signedOut ? nil : notice, request)
        } catch {
            return message(error, request)
        }
    }

    private func show(
        _ visitor: AccountVisitor,
        _ texts: AccountTexts,
        _ notice: AccountNotice?,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> EndpointResponse {
        let subject = visitor.account.subject
        let all = try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            try await sessions.sessions(ofSubject: subject, at: request.now)
        }
        var passkeys = AccountPageHTML.Passkeys.off
        if site(of: request) != nil {
            passkeys = visitor.hasJustSignedIn(at: request.now) ? .on : .afterSignIn(at: signInURL(request))
        }
        let html = AccountPageHTML(
            account: visitor.account,
            sessions: all,
            current: visitor.session,
            unlinksLogins: keeping.unlinksLogins,
            countsPasskeys: context.tenant.signIn?.passkeys != nil,
            passkeys: passkeys,
            path: page,
            token: visitor.formToken,
            texts: texts,
            notice: notice?.text(texts)
        )
        var policy = PagePolicy(form: page.description)
        if passkeys == .on { (policy.script, policy.connection) = (page.below(.script), page.description) }
        var response = frame.response(
            status: 200,
            title: "\(texts.title) – \(frame.name)",
            content: html.content(in: frame),
            language: PageLanguage(accepted: request.fields.acceptLanguage),
            policy: (policy, request.authority),
            further: visitor.cookies + [Self.varies]
        )
        response.subject = subject
        return response
    }

    /// For somebody who is not signed in: a link, since a form's way may not lead to a provider.
    func signedOut(_ request: EndpointRequest, _ status: Int) -> EndpointResponse {
        let language = PageLanguage(accepted: request.fields.acceptLanguage)
        let texts = AccountTexts(language)
        let further = cookies.fieldsThatClear(request) + [Self.varies]
        let link =
            "<a class=\"link\" href=\"\(HTMLText.escaped(signInURL(request)))\">\(HTMLText.escaped(texts.signIn))</a>"
        return frame.response(
            status: status,
            title: "\(texts.signedOutTitle) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.signedOutTitle))</h1>
                <p>\(HTMLText.escaped(texts.signedOut))</p>
                <p>\(link)</p>
                """,
            language: language,
            // Every response with this status needs one (RFC 9110 section 15.5.2).
            further: status == 401 ? further + [EndpointResponse.Field("WWW-Authenticate", "Bearer")] : further
        )
    }

    func message(_ notice: AccountNotice, _ request: EndpointRequest) -> EndpointResponse {
        let language = PageLanguage(accepted: request.fields.acceptLanguage)
        let texts = AccountTexts(language)
        return frame.response(
            status: notice.status,
            title: "\(texts.title) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.title))</h1>
                <p>\(HTMLText.escaped(notice.text(texts)))</p>
                """,
            language: language,
            further: [Self.varies] + (notice == .unavailable ? [EndpointResponse.Field("Retry-After", "1")] : [])
        )
    }

    /// Where a sign-in begins that ends at this page.
    private func signInURL(_ request: EndpointRequest) -> String {
        FormText.url(
            PagePath.encoded(web.login.description),
            adding: [("after", request.origin + PagePath.encoded(page.description))]
        )
    }

    private static let varies = EndpointResponse.Field("Vary", "Accept-Language")
}
