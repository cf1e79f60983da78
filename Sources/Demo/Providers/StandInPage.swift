import HTTPTypes
import Hummingbird
import Tenants

/// The sign-in pages for browsers. They work without JavaScript.
enum StandInPage {
    /// - Parameter atOnce: Whether the first form is sent without a click, where there is JavaScript.
    static func signIn(
        _ provider: SignIn.Provider,
        name: String,
        consent: ProviderRedirect,
        refusal: ProviderRedirect,
        atOnce: Bool
    ) -> Response {
        let vendor = provider == .apple ? "Apple" : "Google"
        return HTMLPage.response(
            .ok,
            title: "Sign in with \(vendor) (stand-in)",
            content: """
                <p>This is no real account: a local stand-in answers for \(vendor).</p>
                \(form(consent, id: "continue", button: "Continue as \(name)", isPrimary: true))
                \(form(refusal, id: "cancel", button: "Cancel", isPrimary: false))
                \(atOnce ? "<script>document.forms[0].submit()</script>" : "")
                """
        )
    }

    static func problem(_ refusal: StandInRefusal) -> Response {
        HTMLPage.response(
            HTTPResponse.Status(code: refusal.status),
            title: "Access blocked (stand-in)",
            content: "<p>Error \(refusal.status): <code>\(HTMLPage.escaped(refusal.error))</code></p>\n"
                + "<p>\(HTMLPage.escaped(refusal.reason))</p>"
        )
    }

    private static func form(_ redirect: ProviderRedirect, id: String, button: String, isPrimary: Bool) -> String {
        let fields = redirect.fields.map { field in
            "<input type=\"hidden\" name=\"\(HTMLPage.escaped(field.name))\" value=\"\(HTMLPage.escaped(field.value))\">"
        }
        return """
            <form id="\(id)" method="\(redirect.isPost ? "post" : "get")" action="\(HTMLPage.escaped(redirect.url))">
            \(fields.joined(separator: "\n"))
            <button type="submit"\(isPrimary ? " class=\"primary\"" : "")>\(HTMLPage.escaped(button))</button>
            </form>
            """
    }
}
