import Crypto
import Foundation
import Testing

@testable import IdentityProvider
@testable import Tenants

/// The hosted pages: markup, accessibility and injection.
struct HostedPageTests {
    @Test func pageIsWellFormedWithoutScript() async throws {
        let response = try await BrowserSignInFixture().authorize()
        let page = PageReading(response)
        #expect(page.isBalanced)
        #expect(response.text.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        for name in ["h1", "main", "title", "style"] { #expect(page.all(name).count == 1, "\(name)") }
        for name in ["script", "link", "img", "iframe", "form", "object", "base"] { #expect(page.all(name).isEmpty) }
        #expect(page.tags.allSatisfy { tag in !tag.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" } })
        #expect(page.all("svg").count == 2)
        #expect(page.all("svg").allSatisfy { $0.attributes["aria-hidden"] == "true" })
        let metas = page.all("meta").compactMap { $0.attributes["name"] }
        #expect(metas.contains("viewport") && metas.contains("color-scheme"))
        #expect(!response.text.contains("user-scalable") && !response.text.contains("maximum-scale"))
        #expect(page.links.count == 3)
        for words in ["Sign in to Chat", "to continue to clanboards", "Sign in with Apple", "Sign in with Google"] {
            #expect(page.text.contains(words), "\(words)")
        }
    }

    @Test func pageCannotBeFramedCachedOrScripted() async throws {
        let fixture = try BrowserSignInFixture()
        let error = try await fixture.authorize(BrowserSignInFixture.parameters(["client_id": nil]))
        for response in [try await fixture.authorize(), error] {
            let digest = Data(SHA256.hash(data: Data(PageReading(response).style.utf8))).base64EncodedString()
            let policy =
                "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
            #expect(response.value(of: "Content-Security-Policy") == policy)
            #expect(response.value(of: "Content-Type") == "text/html; charset=utf-8")
            #expect(response.value(of: "X-Frame-Options") == "DENY")
            #expect(response.value(of: "X-Content-Type-Options") == "nosniff")
            #expect(response.value(of: "Referrer-Policy") == "no-referrer")
            #expect(response.value(of: "Cache-Control") == "no-store")
            #expect(response.value(of: "Cross-Origin-Opener-Policy") == "same-origin")
        }
    }

    @Test func cancelLeadsBackToTheClient() async throws {
        let page = PageReading(try await BrowserSignInFixture().authorize())
        let cancel = try #require(page.links.last)
        #expect(
            cancel == "clanboards://oauthredirect?error=access_denied&error_description=the%20sign-in%20was%20cancelled"
                + "&state=of%20the%20app&iss=https%3A%2F%2Fchat.example"
        )
    }

    @Test func scriptURLIsNotLinked() async throws {
        let response = try await BrowserSignInFixture().authorize(
            BrowserSignInFixture.parameters([
                "client_id": "odd", "redirect_uri": "javascript:alert(1)//", "scope": "openid",
            ])
        )
        #expect(response.status == 200)
        #expect(PageReading(response).links.count == 2)
        #expect(!response.text.contains("javascript:"))
    }

    static let injections = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><h1>x</h1>",
        "</style><script>", "&lt;script&gt;", "\u{0}\u{8}<\u{202E}b>", "-->", "{{7*7}}${7*7}",
    ]

    @Test(arguments: injections)
    func foreignTextIsEscaped(_ text: String) async throws {
        let client = IssuerClient(id: text, redirectURIs: ["https://a.example/\(text)"])
        let fixture = try BrowserSignInFixture(page: SignInPage(name: text, color: text), clients: [client])
        let changes: KeyValuePairs<String, String?> = [
            "client_id": text, "redirect_uri": client.redirectURIs[0], "state": text, "nonce": text,
        ]
        let plain = PageReading(try await BrowserSignInFixture().authorize())
        let response = try await fixture.authorize(BrowserSignInFixture.parameters(changes))
        let page = PageReading(response)
        #expect(page.isBalanced)
        #expect(page.tags.map(\.name) == plain.tags.map(\.name))
        #expect(page.tags.map { $0.attributes.keys.sorted() } == plain.tags.map { $0.attributes.keys.sorted() })
        #expect(response.body.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        #expect(page.style.contains("--accent:\(PageColor.gatehouse.text);"))
        #expect(!page.style.contains(text))
        let error = try await fixture.authorize([("client_id", text)])
        #expect(PageReading(error).all("script").isEmpty && PageReading(error).isBalanced)
    }

    @Test func tenantNameIsUsedWithoutPageName() async throws {
        let fixture = try BrowserSignInFixture(page: SignInPage())
        #expect(PageReading(try await fixture.authorize()).text.contains("Sign in to chat"))
    }

    static let destinations = [
        ("https://board.example/back", "board.example"), ("http://127.0.0.1:8090/x?y", "127.0.0.1:8090"),
        ("clanboards://oauthredirect", "clanboards"), ("com.example.app:/back", "com.example.app"),
        ("https://board.example?x=/y", "board.example"),
    ]

    @Test(arguments: destinations)
    func destinationIsShown(_ uri: String, _ destination: String) throws {
        let clients = [IssuerClient(id: "x", redirectURIs: [uri])]
        let client = try #require(ClientReturn(clientID: "x", redirectURI: uri, state: nil, clients: clients))
        #expect(client.destination == destination)
    }

    static let problems: [(SignInProblem, Int)] = [
        (.unknownClient, 400), (.malformed, 400), (.over, 400), (.otherBrowser, 400), (.foreignAfter, 400),
        (.notSignedIn, 401), (.methodNotAllowed(allowed: "GET"), 405), (.otherRole("<b>driver"), 409),
        (.refusedByHook(status: 403, message: "not <b>you"), 403), (.tooMany(retryAfterSeconds: 7), 429),
        (.unavailable(retryAfterSeconds: 2), 503),
    ]

    @Test(arguments: problems.indices)
    func errorPageHasAdviceAndRequestID(_ index: Int) throws {
        let (problem, status) = Self.problems[index]
        let fixture = try BrowserSignInFixture()
        let response = fixture.endpoints.errorPage(problem, of: fixture.request(.authorize, []))
        let page = PageReading(response)
        #expect(response.status == status)
        #expect(page.isBalanced && page.all("h1").count == 1 && page.all("b").isEmpty)
        #expect(page.text.contains("Request: request-1"))
        let retry = response.value(of: "Retry-After")
        #expect(retry == (status == 429 ? "7" : status == 503 ? "2" : nil))
    }
}
