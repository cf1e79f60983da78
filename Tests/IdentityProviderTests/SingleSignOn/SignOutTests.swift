import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Signing out of a browser's session at the issuer.
struct SignOutTests {
    private static let start = IssuerFixture.start

    /// A browser with a session at the issuer, and the sessions of two clients begun in it.
    private struct Browser {
        let fixture: IssuerFixture
        let cookie: String
        let id: String
        let board: IssuedTokens
        let service: IssuedTokens

        init() async throws {
            var board = IssuerClient.board
            board.frontChannelLogoutURI = "https://board.example/gone?x=1"
            board.frontChannelLogoutNeedsSession = true
            var service = IssuerClient.service
            service.frontChannelLogoutURI = "https://service.example/gone"
            fixture = try IssuerFixture(issuer: .clans(clients: [.mobile, board, service]))
            let singleSignOn = try #require(SingleSignOn(fixture.context, counts: SignInCounts()))
            let request = EndpointRequest(endpoint: .authorize, method: "GET", authority: "clans.example", now: start)
            let begun = try await singleSignOn.begin(
                .alice,
                SignInWay(name: "google", methods: []),
                nil,
                isAnew: false,
                request
            )
            (id, cookie) = (begun.id, String(begun.cookie.value.prefix { $0 != ";" }))
            let sessions = fixture.sessions
            func tokens(_ client: IssuerClient) async throws -> IssuedTokens {
                var opening = SessionOpening(subject: "alice", clientID: client.id)
                opening.singleSignOn = begun.id
                return try await sessions.start(opening, at: start)
            }
            self.board = try await tokens(board)
            self.service = try await tokens(service)
        }

        func ask(_ method: String, _ parameters: Parameters, cookies: [String]? = nil) async throws -> EndpointResponse
        {
            let text = FormText.text(of: parameters)
            return try await fixture.ask(
                EndpointRequest(
                    endpoint: .logout,
                    method: method,
                    query: method == "GET" ? text : nil,
                    authority: "clans.example",
                    fields: EndpointRequest.Fields(
                        contentType: method == "POST" ? "application/x-www-form-urlencoded" : nil,
                        cookies: cookies ?? [cookie]
                    ),
                    body: method == "POST" ? Array(text.utf8) : [],
                    now: start
                )
            )
        }

        func isAlive(_ tokens: IssuedTokens) async throws -> Bool {
            try await fixture.sessions.session(tokens.sessionID, at: start) != nil
        }
    }

    @Test(arguments: [true, false])
    func idTokenEndsAllThatWasBegunInTheBrowser(_ sendsCookie: Bool) async throws {
        let browser = try await Browser()
        let other = try await browser.fixture.tokens(for: .board)
        let response = try await browser.ask(
            "GET",
            [
                ("id_token_hint", try #require(browser.board.idToken)),
                ("post_logout_redirect_uri", "https://board.example/bye"), ("state", "s"),
            ],
            cookies: sendsCookie ? nil : []
        )
        #expect(response.status == 200)
        for tokens in [browser.board, browser.service] { #expect(try await !browser.isAlive(tokens)) }
        #expect(try await browser.fixture.sessions.session(other.sessionID, at: Self.start) != nil)
        // Front-channel logout.
        let frames = PageReading(response).all("iframe").compactMap { $0.attributes["src"] }
        let session = FormText.text(of: [("iss", "https://clans.example"), ("sid", browser.board.sessionID)])
        #expect(frames == ["https://board.example/gone?x=1&\(session)", "https://service.example/gone"])
        let policy = try #require(response.field("Content-Security-Policy"))
        #expect(policy.contains("frame-src https://board.example https://service.example;"))
        #expect(response.field("Refresh") == "2; url=https://board.example/bye?state=s")
        #expect(PageReading(response).links == ["https://board.example/bye?state=s"])
        #expect(response.fields.contains { $0.name == "Set-Cookie" } == sendsCookie)
        let singleSignOn = try #require(SingleSignOn(browser.fixture.context, counts: SignInCounts()))
        let request = EndpointRequest(
            endpoint: .authorize,
            method: "GET",
            authority: "clans.example",
            fields: EndpointRequest.Fields(cookies: [browser.cookie]),
            now: Self.start
        )
        #expect(try await singleSignOn.find(request) == nil)
    }

    @Test func withoutIDTokenTheUserIsAsked() async throws {
        let browser = try await Browser()
        let parameters: Parameters = [
            ("client_id", "board"), ("post_logout_redirect_uri", "https://board.example/bye"), ("state", "s"),
        ]
        let question = try await browser.ask("GET", parameters)
        #expect(question.status == 200)
        #expect(try await browser.isAlive(browser.board))
        let form = PageReading(question)
        #expect(form.all("form").first?.attributes["action"] == "/id/oauth2/logout")
        let inputs: Parameters = form.all("input").map {
            (name: $0.attributes["name"] ?? "", value: $0.attributes["value"] ?? "")
        }
        // What another site could send ends nothing.
        for forged in [parameters + [("confirm", "x")], parameters] {
            _ = try await browser.ask("POST", forged)
            #expect(try await browser.isAlive(browser.board))
        }
        let response = try await browser.ask("POST", inputs)
        #expect(response.field("Refresh") == "2; url=https://board.example/bye?state=s")
        #expect(try await !browser.isAlive(browser.board))
        #expect(try await !browser.isAlive(browser.service))
    }

    @Test func accountBeginsABoundedNumberOfSessions() async throws {
        let fixture = try IssuerFixture()
        let singleSignOn = try #require(SingleSignOn(fixture.context, counts: SignInCounts()))
        let request = EndpointRequest(endpoint: .authorize, method: "GET", authority: "clans.example", now: Self.start)
        let way = SignInWay(name: "google", methods: [])
        for _ in 0..<100 { _ = try await singleSignOn.begin(.alice, way, nil, isAnew: false, request) }
        await #expect(throws: SignInFailure.self) {
            try await singleSignOn.begin(.alice, way, nil, isAnew: false, request)
        }
    }

    @Test func idTokenOfAnotherSubjectLeavesTheBrowsersSession() async throws {
        let browser = try await Browser()
        let other = try await browser.fixture.sessions.start(
            SessionOpening(subject: "bob", clientID: "board"),
            at: Self.start
        )
        let response = try await browser.ask("GET", [("id_token_hint", try #require(other.idToken))])
        #expect(!response.fields.contains { $0.name == "Set-Cookie" })
        #expect(try await !browser.isAlive(other))
        #expect(try await browser.isAlive(browser.board))
    }
}
