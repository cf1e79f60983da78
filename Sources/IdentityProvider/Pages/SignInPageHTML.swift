import Tenants

/// The hosted sign-in page: a link to each provider, and a link back.
struct SignInPageHTML: Sendable {
    struct Choice: Sendable {
        let provider: SignIn.Provider
        /// The provider's name for people.
        let label: String
        let url: String
    }

    let choices: [Choice]
    /// For display: where the sign-in returns to.
    let destination: String
    /// The link that cancels the sign-in; nil for none.
    let cancelURL: String?
    /// Nil where no passkey may sign in.
    var passkey: PasskeyPrompt?

    func response(in frame: PageFrame, cookie: EndpointResponse.Field) -> EndpointResponse {
        let links = choices.map { choice in
            """
            <li><a class="button \(choice.provider.style)" href="\(HTMLText.escaped(choice.url))">\
            \(choice.provider.mark)<span>Sign in with \(choice.labelHTML)</span></a></li>
            """
        }
        let isNamed = choices.contains { if case .named = $0.provider { true } else { false } }
        let use =
            isNamed
            ? "Of your account there, your name, your e-mail address and what the app needs to know about you are used."
            : "Of your account there, only your name and your e-mail address are used."
        let cancel = cancelURL.map { "\n<p><a class=\"link\" href=\"\(HTMLText.escaped($0))\">Cancel</a></p>" } ?? ""
        return frame.response(
            status: 200,
            title: "Sign in to \(frame.name)",
            content: """
                <h1>Sign in to \(frame.nameHTML)</h1>
                <p>to continue to <bdi><strong>\(HTMLText.escaped(destination))</strong></bdi></p>
                <ul role="list">
                \(links.joined(separator: "\n"))
                </ul>\(passkey.map { "\n" + $0.html } ?? "")
                <p class="quiet">\(use)</p>\(cancel)
                """,
            policy: (passkey?.policy ?? .linksAlone, passkey?.authority ?? ""),
            further: [cookie]
        )
    }
}

extension SignInPageHTML.Choice {
    /// The operator's text, isolated because its writing direction is unknown.
    fileprivate var labelHTML: String {
        switch provider {
        case .apple, .google: label
        case .named: "<bdi>\(HTMLText.escaped(label))</bdi>"
        }
    }
}

extension SignIn.Provider {
    /// The class of its button.
    fileprivate var style: String {
        switch self {
        case .apple, .google: rawValue
        case .named: "neutral"
        }
    }
}
