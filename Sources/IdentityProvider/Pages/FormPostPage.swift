import Localization
import Verification

/// A page that posts the result of an authorization request to the client (OAuth 2.0 Form Post Response Mode): by
/// itself, or by its button in browsers without scripts.
struct FormPostPage: Sendable {
    private static let script = "document.forms[0].submit()"
    /// The source expression for the content security policy.
    static let scriptHash = "sha256-\(StandardBase64.encode(SHA256.digest(Array(script.utf8))))"

    /// The redirect URI.
    let url: String
    let fields: [(name: String, value: String)]

    func response(
        in frame: PageFrame,
        _ language: PageLanguage,
        further: [EndpointResponse.Field] = [],
        subject: String? = nil
    ) -> EndpointResponse {
        let texts = SignInTexts(language)
        let inputs = fields.map {
            "<input type=\"hidden\" name=\"\(HTMLText.escaped($0.name))\" value=\"\(HTMLText.escaped($0.value))\">"
        }
        var response = frame.response(
            status: 200,
            title: "\(texts.goOn) – \(frame.name)",
            content: """
                <h1>\(frame.nameHTML)</h1>
                <form method="post" action="\(HTMLText.escaped(url))">\(inputs.joined())\
                <button class="button"><span>\(HTMLText.escaped(texts.goOn))</span></button></form>
                <script>\(Self.script)</script>
                """,
            language: language,
            policy: (PagePolicy(targets: [PagePolicy.source(of: url)], scriptHash: Self.scriptHash), ""),
            further: further
        )
        response.subject = subject
        return response
    }
}
