import Localization

/// The page after a sign-in whose cookies other sites' pages do not cause to be sent (`SameSite=Strict`): it leads on at once.
struct SignedInPage: Sendable {
    /// Where the sign-in ends.
    let url: String

    func response(
        in frame: PageFrame,
        _ language: PageLanguage,
        further fields: [EndpointResponse.Field],
        subject: String
    ) -> EndpointResponse {
        let texts = SignInTexts(language)
        var response = frame.response(
            status: 200,
            title: "\(texts.signedIn) – \(frame.name)",
            content: """
                <h1>\(HTMLText.escaped(texts.signedIn))</h1>
                <p><a class="link" href="\(HTMLText.escaped(url))">\(HTMLText.escaped(texts.goOn))</a></p>
                """,
            language: language,
            further: [EndpointResponse.Field("Refresh", "0; url=\(url)")] + fields
        )
        response.subject = subject
        return response
    }
}
