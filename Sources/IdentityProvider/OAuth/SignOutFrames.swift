import Localization
import Tenants

/// Tells clients in hidden frames that their sessions have ended (OpenID Connect Front-Channel Logout 1.0 section 3).
struct SignOutFrames: Sendable, Equatable {
    /// Frames of one page: each is a request that the browser makes.
    static let most = 32
    /// Seconds that the frames have before the page leads on.
    private static let patience = 2

    /// Each once, in the order of the sessions.
    let urls: [String]

    /// - Parameter ended: Those of other clients than of `issuer`, and of clients without such a page, are left out.
    init(_ ended: [SingleSignOn.EndedSession], of issuer: BuiltInIssuer) {
        var urls: [String] = []
        for session in ended {
            guard let client = session.clientID.flatMap({ issuer.clients.named($0) }),
                let page = client.frontChannelLogoutURI
            else { continue }
            let url =
                client.frontChannelLogoutNeedsSession
                ? FormText.url(page, adding: [("iss", issuer.url), ("sid", session.id)]) : page
            if !urls.contains(url), urls.count < Self.most { urls.append(url) }
        }
        self.urls = urls
    }

    /// The page with the frames, which leads on by itself.
    ///
    /// - Parameter destination: Nil: nowhere.
    func page(leadingTo destination: String?, in frame: PageFrame, for request: EndpointRequest) -> EndpointResponse {
        let language = frame.language(of: request)
        let texts = SignInTexts(language)
        let frames = urls.map { "<iframe hidden src=\"\(HTMLText.escaped($0))\"></iframe>" }
        let link =
            destination.map { url in
                "<p><a class=\"link\" href=\"\(HTMLText.escaped(url))\">\(HTMLText.escaped(texts.goOn))</a></p>"
            } ?? "<p>\(HTMLText.escaped(texts.signedOutAdvice))</p>"
        let sources = urls.map(PagePolicy.source).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return frame.response(
            status: 200,
            title: "\(texts.signedOut) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.signedOut))</h1>
                \(link)
                \(frames.joined(separator: "\n"))
                """,
            language: language,
            policy: (PagePolicy(frames: sources), request.authority),
            further: destination.map { [EndpointResponse.Field("Refresh", "\(Self.patience); url=\($0)")] } ?? []
        )
    }
}
