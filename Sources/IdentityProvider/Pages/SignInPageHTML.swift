import Localization
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
    /// Nil where nobody can go on without a sign-in.
    var continuing: ContinueForm?
    /// Where the passkey's script posts a form to; nil: nowhere.
    var formTarget: String?

    func response(
        in frame: PageFrame,
        _ language: PageLanguage,
        cookie: EndpointResponse.Field,
        authority: String
    ) -> EndpointResponse {
        var policy = passkey?.policy ?? .linksAlone
        if let continuing { (policy.form, policy.targets) = (continuing.path, [continuing.target]) }
        if passkey != nil, let formTarget { policy.targets = [formTarget] }
        let texts = SignInTexts(language)
        let links = choices.map { choice in
            """
            <li><a class="button \(choice.provider.style)" href="\(HTMLText.escaped(choice.url))">\
            \(choice.provider.mark)<span>\(FilledText.html(texts.signInWith, html: choice.labelHTML))</span></a></li>
            """
        }
        let isNamed = choices.contains { if case .named = $0.provider { true } else { false } }
        let cancel =
            cancelURL.map { url in
                "\n<p><a class=\"link\" href=\"\(HTMLText.escaped(url))\">\(HTMLText.escaped(texts.cancel))</a></p>"
            } ?? ""
        let target = "<bdi><strong>\(HTMLText.escaped(destination))</strong></bdi>"
        return frame.response(
            status: 200,
            title: FilledText.plain(texts.title, frame.name),
            content: """
                <h1>\(FilledText.html(texts.title, html: frame.nameHTML))</h1>
                <p>\(FilledText.html(texts.destination, html: target))</p>
                \(continuing.map { $0.html(texts) + "\n" } ?? "")<ul role="list">
                \(links.joined(separator: "\n"))
                </ul>\(passkey.map { "\n" + $0.html } ?? "")
                <p class="quiet">\(HTMLText.escaped(isNamed ? texts.usesMore : texts.usesProfile))</p>\(cancel)
                """,
            language: language,
            policy: (policy, authority),
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
