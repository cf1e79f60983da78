import Authorization
import HTTPCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Tenants

/// Browsers that open a page without a good token are led to sign in (`sign_in.unauthenticated`).
struct NavigationTests {
    private static func pipeline(
        _ navigations: UnauthenticatedNavigation = .signIn,
        mode: Tenant.Mode = .enforce
    ) throws -> RequestPipeline {
        let rules = [try RequestPipeline.rule("/admin/**", .signedIn(roles: ["admin"], scopes: []))]
        var tenant = try RequestPipeline.tenant(from: [.cookie(name: "session")], access: rules, mode: mode)
        tenant.signIn = SignIn(
            web: WebSignIn(
                login: try PathPattern("/auth/login"),
                callback: try PathPattern("/auth/callback"),
                after: "https://app.test/",
                accessCookie: "session",
                refreshCookie: "refresh"
            ),
            navigations: navigations
        )
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        return pipeline
    }

    private static func refusal(
        _ target: String = "/orders",
        method: String = "GET",
        sending lines: [String],
        by pipeline: RequestPipeline? = nil
    ) throws -> Refusal? {
        let pipeline = try pipeline ?? Self.pipeline()
        return pipeline.ask(RequestPipeline.request(target, method: method, lines: lines)).refusal
    }

    private static func location(_ refusal: Refusal?) -> String? {
        refusal?.fields.first { $0.isNamed("Location") }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    private static let navigates = "Sec-Fetch-Mode: navigate"

    @Test(arguments: [
        [navigates], [navigates, "Sec-Fetch-Dest: document"], [navigates, "Accept: */*"],
        ["Accept: text/html"], ["Accept: text/html;q=0.9, */*;q=0.8"], ["Accept: application/xhtml+xml, TEXT/HTML"],
        ["Accept: */*", "Accept: text/html"], ["Accept: application/json;q=0.5, text/html"],
        // Chrome, Firefox, Safari, Lynx and w3m.
        [
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
                + "application/signed-exchange;v=b3;q=0.7"
        ],
        ["Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"],
        ["Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
        ["Accept: text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01"],
        ["Accept: text/html, text/*;q=0.5, image/*, application/*, message/*, x-scheme/*"],
        [navigates, "Accept: application/json"],
    ])
    func browserIsLedToLoginAndBack(lines: [String]) throws {
        for method in ["GET", "HEAD"] {
            let refusal = try Self.refusal("/orders?page=2&q=a%20b", method: method, sending: lines)
            #expect(refusal?.status == 302 && refusal?.code == .missingToken)
            let after = "http%3A%2F%2Fapp.test%2Forders%3Fpage%3D2%26q%3Da%2520b"
            #expect(Self.location(refusal) == "http://app.test/auth/login?refused=missing_token&after=\(after)")
        }
    }

    @Test(arguments: [
        [], ["Accept: */*"], ["Accept: application/json"], ["Accept: text/htmlx"], ["Accept: xtext/html"],
        ["Accept: text/html;q=0"], ["Accept: text/html;q=0, */*"], ["Accept: application/json, text/html;q=0.1"],
        ["Accept: application/json, text/html"], ["Accept: text/html;q=0.9, */*"],
        ["Sec-Fetch-Mode: cors", "Accept: text/html"], ["Sec-Fetch-Mode: websocket"], ["Sec-Fetch-Mode: Navigate"],
        [navigates, "Sec-Fetch-Dest: iframe"], [navigates, navigates],
        ["Sec-Fetch-Dest: document", "Accept: text/html"],
        [navigates, "Sec-Fetch-Dest: document", "Sec-Fetch-Dest: document"],
        [navigates, "Authorization: Basic eDp5"], ["Accept: text/html", "Authorization: Bearer x"],
    ])
    func everyoneElseGets401(lines: [String]) throws {
        let refusal = try Self.refusal(sending: lines)
        #expect(refusal?.status == 401 && Self.location(refusal) == nil)
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"]) func otherMethodsGet401(method: String) throws {
        #expect(try Self.refusal(method: method, sending: [Self.navigates])?.status == 401)
    }

    @Test(arguments: [
        ("Referer: http://app.test/form?a=b#c", "http%3A%2F%2Fapp.test%2Fform%3Fa%3Db"),
        ("Referer: http://app.test.evil.test/form", "http%3A%2F%2Fapp.test%2Fsend"),
        ("Referer: https://evil.test/", "http%3A%2F%2Fapp.test%2Fsend"), ("X-None: x", "http%3A%2F%2Fapp.test%2Fsend"),
    ])
    func formIsLedBackToItsOwnPage(line: String, after: String) throws {
        let refusal = try Self.refusal("/send?x=y", method: "POST", sending: [Self.navigates, line])
        #expect(refusal?.status == 303)
        let location = "http://app.test/auth/login?refused=missing_token&unsent=1&after=\(after)"
        #expect(Self.location(refusal) == location)
    }

    @Test func badTokensLeadToLoginToo() throws {
        let lines = [Self.navigates, "Cookie: session=not-a-token"]
        let refusal = try Self.refusal(sending: lines)
        #expect(refusal?.status == 302)
        #expect(Self.location(refusal)?.contains("?refused=invalid_token&") == true)
    }

    @Test func onlyLackOfGoodTokenLeadsToLogin() throws {
        let token = try RequestPipeline.token()
        let refusal = try Self.refusal("/admin/x", sending: [Self.navigates, "Cookie: session=\(token)"])
        #expect(refusal?.status == 403 && Self.location(refusal) == nil)
    }

    @Test func nobodyIsLedWithoutTheSetting() throws {
        #expect(try Self.refusal(sending: [Self.navigates], by: try Self.pipeline(.refuse))?.status == 401)
    }

    @Test func observedTenantsLetBrowsersThrough() throws {
        let pipeline = try Self.pipeline(mode: .observe)
        #expect(pipeline.ask(RequestPipeline.request("/orders", lines: [Self.navigates])).grant != nil)
    }

    @Test func urlHasTheSchemeThatTheClientUsed() throws {
        let pipeline = try Self.pipeline()
        pipeline.decisionContext.peer = try RequestPipeline.peer(trusted: true)
        let refusal = try Self.refusal(sending: [Self.navigates, "X-Forwarded-Proto: https"], by: pipeline)
        #expect(Self.location(refusal)?.hasPrefix("https://app.test/auth/login?") == true)
        #expect(Self.location(refusal)?.hasSuffix("&after=https%3A%2F%2Fapp.test%2Forders") == true)
    }

    /// Browsers send these as they are, and the login takes only what every URL may have.
    @Test func charactersThatNoURLHasAreEncoded() throws {
        let location = Self.location(try Self.refusal("/search?filter={a|b}^`c", sending: [Self.navigates]))
        let after = "http%3A%2F%2Fapp.test%2Fsearch%3Ffilter%3D%257Ba%257Cb%257D%255E%2560c"
        #expect(location == "http://app.test/auth/login?refused=missing_token&after=\(after)")
    }

    @Test func unknownSchemeIsTheLoginsOwn() throws {
        let pipeline = try Self.pipeline()
        pipeline.decisionContext.peer = try RequestPipeline.peer(trusted: true)
        let location = Self.location(try Self.refusal(sending: [Self.navigates], by: pipeline))
        #expect(location?.hasPrefix("http://app.test/auth/login?") == true)
    }

    /// As long as the login's own target may be: what comes after it is the app's start page.
    @Test func longAddressIsKeptIfTheLoginCanTakeIt() throws {
        let login = "/auth/login?refused=missing_token"
        let room = 8192 - "\(login)&after=http%3A%2F%2Fapp.test%2F".utf8.count
        for (length, isKept) in [(4000, true), (room, true), (room + 1, false)] {
            let path = String(repeating: "a", count: length)
            let location = Self.location(try Self.refusal("/\(path)", sending: [Self.navigates]))
            #expect(location == "http://app.test\(login)" + (isKept ? "&after=http%3A%2F%2Fapp.test%2F\(path)" : ""))
        }
        let form = Self.location(
            try Self.refusal("/" + String(repeating: "%20", count: 2000), method: "POST", sending: [Self.navigates])
        )
        #expect(form == "http://app.test\(login)&unsent=1")
    }
}
