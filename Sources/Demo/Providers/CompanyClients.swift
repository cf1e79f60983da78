import HTTPTypes
public import Hummingbird
import Synchronization
public import Verification

/// Two small apps of the company, both clients of its issuer: whoever has signed in for one needs no further sign-in for
/// the other.
///
/// Each page begins an authorization code flow with PKCE (RFC 6749, RFC 7636), and shows what the ID token says. Nothing
/// is kept in the browser.
public final class CompanyClients: Sendable {
    /// Posts a form to the issuer's token endpoint; nil if there is no JSON in the response.
    public typealias Redeem = @Sendable (_ form: String) async -> JSONObject?

    public static let names = ["wiki", "calendar"]
    /// Flows that wait for their browser, the oldest of which is forgotten.
    private static let mostFlows = 64

    private struct Flow {
        var state: String
        var client: String
        var verifier: String
    }

    /// Where browsers reach the company's app, without a slash at the end.
    private let base: String
    private let secret: String
    private let redeem: Redeem
    private let flows = Mutex<[Flow]>([])

    /// - Parameters:
    ///   - origin: The gateway's for browsers, like `http://localhost:8080`.
    ///   - secret: Of each client.
    public init(origin: String, secret: String, redeem: @escaping Redeem) {
        base = origin + CompanyApp.path
        self.secret = secret
        self.redeem = redeem
    }

    public func addRoutes(to router: Router<BasicRequestContext>) {
        for client in Self.names {
            router.get("\(CompanyApp.path)/\(client)") { _, _ in self.begin(client) }
            router.get("\(CompanyApp.path)/\(client)/back") { request, _ in
                await self.end(client, query: request.uri.query ?? "")
            }
        }
    }

    private func begin(_ client: String) -> Response {
        let flow = Flow(state: RandomText.make(bytes: 16), client: client, verifier: RandomText.make(bytes: 32))
        flows.withLock { flows in
            flows.append(flow)
            if flows.count > Self.mostFlows { flows.removeFirst() }
        }
        let query = FormParameters.text(of: [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirectURI(of: client)),
            ("scope", "openid email"), ("state", flow.state),
            ("code_challenge", Base64URL.encode(SHA256.digest(Array(flow.verifier.utf8)))),
            ("code_challenge_method", "S256"),
        ])
        return Response(
            status: .seeOther,
            headers: [.location: "\(base)/oauth2/authorize?\(query)", .cacheControl: "no-store"]
        )
    }

    private func end(_ client: String, query: String) async -> Response {
        guard let fields = try? FormParameters(query), let flow = take(fields["state"] ?? "", of: client) else {
            return Self.page(client, "<p>This sign-in was not begun here, or long ago.</p>", .badRequest)
        }
        guard let code = fields["code"] else {
            let error = HTMLPage.escaped(fields["error"] ?? "no code")
            return Self.page(client, "<p>Nobody is signed in: the issuer answered <code>\(error)</code>.</p>", .ok)
        }
        let form = FormParameters.text(of: [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI(of: client)),
            ("client_id", client), ("client_secret", secret), ("code_verifier", flow.verifier),
        ])
        // It comes from the issuer itself, over a connection of our own (OpenID Connect Core section 3.1.3.7).
        guard let token = await redeem(form)?["id_token"]?.string,
            let claims = try? UnverifiedToken(Array(token.utf8)).claims()
        else { return Self.page(client, "<p>The issuer gave no tokens for the code.</p>", .badGateway) }
        return Self.page(client, Self.content(claims), .ok)
    }

    /// A flow of this client, which is then over.
    private func take(_ state: String, of client: String) -> Flow? {
        flows.withLock { flows in
            guard let index = flows.firstIndex(where: { $0.state == state && $0.client == client }) else { return nil }
            return flows.remove(at: index)
        }
    }

    private func redirectURI(of client: String) -> String { "\(base)/\(client)/back" }

    private static func content(_ claims: JSONObject) -> String {
        let shown = ["email", "sub", "auth_time", "sid"].compactMap { name -> String? in
            guard let value = claims[name] else { return nil }
            let text = value.string ?? JSONWriter.text(of: value)
            return "<dt>\(name)</dt><dd>\(HTMLPage.escaped(text))</dd>"
        }
        return """
            <p>You are signed in. The ID token of the company's issuer says:</p>
            <dl>\(shown.joined(separator: "\n"))</dl>
            """
    }

    private static func page(_ client: String, _ content: String, _ status: HTTPResponse.Status) -> Response {
        let others = names.filter { $0 != client }.map {
            "<a class=\"button primary\" href=\"\(CompanyApp.path)/\($0)\">Open the \($0): no further sign-in</a>"
        }
        let links = """
            \(others.joined(separator: "\n"))
            <a class="button" href="\(CompanyApp.path)/oauth2/logout">Sign out at the issuer</a>
            <p><a href="/">All apps of the demo</a></p>
            """
        return HTMLPage.response(status, title: "The company's \(client)", content: "\(content)\n\(links)")
    }
}
