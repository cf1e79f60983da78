import HTTPTypes
import Hummingbird
import Tenants

/// The pages for browsers. They work without JavaScript.
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
        return page(
            .ok,
            title: "Sign in with \(vendor) (stand-in)",
            content: """
                <p>This is no real account: a local stand-in answers for \(vendor).</p>
                \(form(consent, id: "continue", button: "Continue as \(name)"))
                \(form(refusal, id: "cancel", button: "Cancel"))
                \(atOnce ? "<script>document.forms[0].submit()</script>" : "")
                """
        )
    }

    static func problem(_ refusal: StandInRefusal) -> Response {
        page(
            HTTPResponse.Status(code: refusal.status),
            title: "Access blocked (stand-in)",
            content: "<p>Error \(refusal.status): <code>\(escaped(refusal.error))</code></p>\n"
                + "<p>\(escaped(refusal.reason))</p>"
        )
    }

    private static func form(_ redirect: ProviderRedirect, id: String, button: String) -> String {
        let fields = redirect.fields.map { field in
            "<input type=\"hidden\" name=\"\(escaped(field.name))\" value=\"\(escaped(field.value))\">"
        }
        return """
            <form id="\(id)" method="\(redirect.isPost ? "post" : "get")" action="\(escaped(redirect.url))">
            \(fields.joined(separator: "\n"))
            <button type="submit">\(escaped(button))</button>
            </form>
            """
    }

    private static func page(_ status: HTTPResponse.Status, title: String, content: String) -> Response {
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(escaped(title))</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
            button { font: inherit; width: 100%; padding: .75rem; margin: .5rem 0 }
            </style>
            </head>
            <body>
            <h1>\(escaped(title))</h1>
            \(content)
            </body>
            </html>

            """
        return Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
