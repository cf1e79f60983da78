import Localization
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
    /// Of every tenant in the realm with an issuer, this one included.
    let realmSessions: [SessionService]
    let keeping: any AccountKeeping
    let challenges: PasskeyChallenges
    let cookies: SessionCookies
    let counts: SignInCounts
    let verify: Verify
    /// Nil for a tenant without it.
    private let singleSignOn: SingleSignOn?
    private let crossSite: CrossSiteCheck
    let frame: PageFrame

    /// - Parameter verify: Verifies an access token of the tenant's own issuer.
    /// - Returns: Nil for a tenant without such a page.
    init?(
        _ context: SignInContext,
        realmSessions: [SessionService],
        verify: @escaping Verify,
        counts: SignInCounts
    ) {
        guard let page = context.tenant.signIn?.accountPage, let web = context.tenant.signIn?.web,
            let sessions = context.sessions, let keeping = context.keeping
        else { return nil }
        self.context = context
        self.page = page
        self.web = web
        self.sessions = sessions
        self.realmSessions = realmSessions
        self.keeping = keeping
        self.verify = verify
        self.counts = counts
        singleSignOn = SingleSignOn(context, counts: counts)
        challenges = PasskeyChallenges(store: context.store, tenant: context.tenant.name)
        cookies = SessionCookies(context.tenant)
        crossSite = CrossSiteCheck(context.tenant)
        frame = PageFrame(context.tenant)
    }

    func respond(to request: EndpointRequest) async -> EndpointResult {
        if request.endpoint == .passkeyScript { return .response(PasskeyScript.response) }
        // Origins that are trusted elsewhere are not here: the page has what its forms are known by.
        guard isFromOwnOrigin(request) else { return .refused(.crossSite) }
        guard request.method == "POST" else {
            return request.isOpened ? .response(await show(request)) : .refused(.readByScript)
        }
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

    /// Ends the session that the visitor's browser has at the issuer, with what was begun in it.
    ///
    /// - Returns: The fields that clear its cookie.
    func endAtIssuer(
        _ visitor: AccountVisitor,
        _ request: EndpointRequest
    ) async throws(AccountNotice) -> [EndpointResponse.Field] {
        guard let singleSignOn else { return [] }
        let session = try await mappingErrors({ _ in AccountNotice.unavailable }) { () async throws(SignInFailure) in
            try await singleSignOn.read(request)
        }
        if let (session, _) = session, session.subject.utf8.elementsEqual(visitor.account.subject.utf8) {
            _ = try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
                try await singleSignOn.end(session.group, ofSubject: session.subject, at: request.now)
            }
        }
        return singleSignOn.records.fieldsThatClear(request)
    }

    /// The page with a notice, in a query.
    func location(_ notice: AccountNotice) -> String {
        FormText.url(PagePath.encoded(page.description), adding: [(AccountNotice.parameter, notice.rawValue)])
    }
}

// MARK: - The page

extension AccountEndpoints {
    private func show(_ request: EndpointRequest) async -> EndpointResponse {
        let texts = AccountTexts(frame.language(of: request))
        let query = try? FormFields(Array((request.query ?? "").utf8))
        let isElsewhere = comesFromElsewhere(request)
        // A link of another site must not say that something was done here.
        let notice = isElsewhere ? nil : query?[AccountNotice.parameter].flatMap(AccountNotice.init)
        do throws(AccountNotice) {
            guard let visitor = try await visitor(request, refreshes: !isElsewhere) else {
                if isElsewhere, cookies.refreshToken(of: request) != nil { return again(texts, request) }
                // Without a link between, a provider that refuses at once would be asked for ever.
                let isOver = notice == .signedOut || query?["error"] != nil
                return isOver ? signedOut(request, 200) : .redirect(to: signInURL(request))
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
            unlinkable: visitor.account.identities.filter { keeping.isUnlinkable($0, from: visitor.account) },
            passkeys: passkeys,
            label: { context.tenant.signIn?.label(of: $0) ?? $0.vendor },
            path: page,
            token: visitor.formToken,
            texts: texts,
            notice: notice?.text(texts),
            deletionSection: deletionSection(visitor, signInURL: signInURL(request), request)
        )
        var policy = PagePolicy(form: page.description)
        if passkeys == .on { (policy.script, policy.connection) = (page.below(.script), page.description) }
        var response = frame.response(
            status: 200,
            title: "\(texts.title) – \(frame.name)",
            content: html.content(in: frame),
            language: frame.language(of: request),
            policy: (policy, request.authority),
            further: visitor.cookies + [PageFrame.ownGroup]
        )
        response.subject = subject
        return response
    }

    /// Whether another site has led here, which may stop loading the page before its cookies arrive: they would be lost.
    private func comesFromElsewhere(_ request: EndpointRequest) -> Bool {
        guard let site = request.fields.secFetchSite else { return false }
        return site != "same-origin" && site != "none"
    }

    /// A page that loads itself once more, by itself.
    private func again(_ texts: AccountTexts, _ request: EndpointRequest) -> EndpointResponse {
        let url = PagePath.encoded(page.description)
        return frame.response(
            status: 200,
            title: "\(texts.title) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.title))</h1>
                <p><a class="link" href="\(HTMLText.escaped(url))">\(HTMLText.escaped(texts.title))</a></p>
                """,
            language: frame.language(of: request),
            further: [EndpointResponse.Field("Refresh", "0; url=\(url)")]
        )
    }

    /// For somebody who is not signed in: a link, since a form's way may not lead to a provider.
    func signedOut(_ request: EndpointRequest, _ status: Int) -> EndpointResponse {
        let language = frame.language(of: request)
        let texts = AccountTexts(language)
        let further = cookies.fieldsThatClear(request)
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
        let language = frame.language(of: request)
        let texts = AccountTexts(language)
        return frame.response(
            status: notice.status,
            title: "\(texts.title) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.title))</h1>
                <p>\(HTMLText.escaped(notice.text(texts)))</p>
                """,
            language: language,
            further: notice == .unavailable ? [EndpointResponse.Field("Retry-After", "1")] : []
        )
    }

    /// Where a sign-in begins that ends at this page.
    private func signInURL(_ request: EndpointRequest) -> String {
        FormText.url(
            PagePath.encoded(web.login.description),
            adding: [("after", request.origin + PagePath.encoded(page.description))]
        )
    }
}

extension EndpointRefusal {
    fileprivate static let readByScript = EndpointRefusal(
        .crossSiteRequest,
        status: 403,
        detail: "the account page is opened in a window of its own: no script and no frame may read it"
    )
}
