import Tenants

/// The hosted sign-in page: a link to each provider, and a link back.
struct SignInPageHTML: Sendable {
    struct Choice: Sendable {
        let provider: SignIn.Provider
        let url: String
    }

    let choices: [Choice]
    /// For display: where the sign-in returns to.
    let destination: String
    /// The link that cancels the sign-in; nil for none.
    let cancelURL: String?

    func response(in frame: PageFrame, cookie: EndpointResponse.Field) -> EndpointResponse {
        let links = choices.map { choice in
            """
            <li><a class="button \(choice.provider.rawValue)" href="\(HTMLText.escaped(choice.url))">\
            \(choice.provider.mark)<span>Sign in with \(choice.provider.vendor)</span></a></li>
            """
        }
        let cancel = cancelURL.map { "\n<p><a class=\"link\" href=\"\(HTMLText.escaped($0))\">Cancel</a></p>" } ?? ""
        return frame.response(
            status: 200,
            title: "Sign in to \(frame.name)",
            content: """
                <h1>Sign in to \(frame.nameHTML)</h1>
                <p>to continue to <bdi><strong>\(HTMLText.escaped(destination))</strong></bdi></p>
                <ul role="list">
                \(links.joined(separator: "\n"))
                </ul>
                <p class="quiet">Of your account there, only your name and your e-mail address are used.</p>\(cancel)
                """,
            further: [cookie]
        )
    }
}
