import HTTPTypes
import Hummingbird
import Verification

/// Where a browser signs in to a sample app, and out.
struct BrowserPaths: Sendable {
    let signIn: String
    let signOut: String
    /// Where people see their sessions and logins; nil where there is no such page.
    var account: String?
}

/// The page of a sample app at `/`, where a sign-in in a browser ends: who the caller is, as the gateway says.
enum HomePage {
    /// - Parameter name: The app's; nil: the first part of its host.
    static func response(to request: Request, paths: BrowserPaths?, name: String? = nil) -> Response {
        let host = HTTPField.Name("X-Forwarded-Host").flatMap { request.headers[$0] } ?? ""
        let app = name ?? String(host.prefix { $0 != "." && $0 != ":" })
        let seen = SeenIdentity.fields(of: request)
        var content = seen.members.isEmpty ? nobody : somebody(seen)
        if let paths { content += "\n" + (seen.members.isEmpty ? signIn(paths) : signOut(paths)) }
        if let account = paths?.account {
            content += "\n<p><a href=\"\(account)\">Your account: sessions, logins and passkeys</a></p>"
        }
        if let start = start(from: host) {
            content += "\n<p><a href=\"\(HTMLPage.escaped(start))\">All apps of the demo</a></p>"
        }
        let title = seen.members.isEmpty ? "Nobody is signed in" : "You are signed in"
        return HTMLPage.response(.ok, title: app.isEmpty ? title : "\(app): \(title)", content: content)
    }

    private static let nobody = """
        <p>This page is the app's own, served through the gateway to anyone. The gateway named no caller to it.</p>
        """

    private static func somebody(_ seen: JSONObject) -> String {
        let fields = seen.members.map { field in
            let value = field.value.string ?? JSONWriter.text(of: field.value)
            return "<dt>\(HTMLPage.escaped(field.name))</dt><dd>\(HTMLPage.escaped(value))</dd>"
        }
        return """
            <p>The app knows you by the fields that the gateway added to this request:</p>
            <dl>\(fields.joined(separator: "\n"))</dl>
            """
    }

    private static func signIn(_ paths: BrowserPaths) -> String {
        "<a class=\"button primary\" href=\"\(paths.signIn)\">Sign in</a>"
    }

    /// The gateway answers a sign-out with JSON, so that the page is loaded again instead.
    private static func signOut(_ paths: BrowserPaths) -> String {
        """
        <form method="post" action="\(paths.signOut)"><button>Sign out</button></form>
        <script>
        document.forms[0].addEventListener("submit", async event => {
            event.preventDefault();
            await fetch(event.target.action, { method: "POST" });
            location.reload();
        });
        </script>
        """
    }

    /// The demo's start page, on the host without the app's name: `localhost:8080` of `chat.localhost:8080`.
    private static func start(from host: String) -> String? {
        if host.prefix(while: { $0 != ":" }) == "localhost" { return "http://\(host)/" }
        let parent = host.drop { $0 != "." }.dropFirst()
        guard parent.prefix(while: { $0 != ":" }) == "localhost" else { return nil }
        return "http://\(parent)/"
    }
}
