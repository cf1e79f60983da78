/// The page after a sign-in whose cookies other sites' pages do not cause to be sent (`SameSite=Strict`): it leads on at once.
struct SignedInPage: Sendable {
    /// Where the sign-in ends.
    let url: String

    func response(
        in frame: PageFrame,
        further fields: [EndpointResponse.Field],
        subject: String
    ) -> EndpointResponse {
        var response = frame.response(
            status: 200,
            title: "Signed in – \(frame.name)",
            content: """
                <h1>You are signed in</h1>
                <p><a class="link" href="\(HTMLText.escaped(url))">Continue</a></p>
                """,
            further: [EndpointResponse.Field("Refresh", "0; url=\(url)")] + fields
        )
        response.subject = subject
        return response
    }
}
