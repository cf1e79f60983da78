import Store
import Synchronization
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Lets a number of calls through.
private final class Counter: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}

/// Signing out of a browser's session at the issuer.
struct SignOutTests {
    private static let start = IssuerFixture.start

    /// A browser with a session at the issuer, and the sessions of two clients begun in it.
    private struct Browser {
        let fixture: IssuerFixture
        var cookie: String
        let group: String
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
                isProven: false,
                request
            )
            (group, cookie) = (begun.group, String(begun.cookie.value.prefix { $0 != ";" }))
            let sessions = fixture.sessions
            func tokens(_ client: IssuerClient) async throws -> IssuedTokens {
                var opening = SessionOpening(subject: "alice", clientID: client.id)
                opening.singleSignOn = begun.group
                return try await sessions.start(opening, at: start)
            }
            self.board = try await tokens(board)
            self.service = try await tokens(service)
        }

        /// Signs in again.
        ///
        /// - Returns: The cookie, and the group.
        func signIn(_ account: Account = .alice) async throws -> (cookie: String, group: String) {
            let begun = try await singleSignOn.begin(
                account,
                SignInWay(name: "google", methods: []),
                nil,
                isProven: false,
                request([cookie])
            )
            return (String(begun.cookie.value.prefix { $0 != ";" }), begun.group)
        }

        var singleSignOn: SingleSignOn {
            get throws { try #require(SingleSignOn(fixture.context, counts: SignInCounts())) }
        }

        func request(_ cookies: [String]) -> EndpointRequest {
            EndpointRequest(
                endpoint: .authorize,
                method: "GET",
                authority: "clans.example",
                fields: EndpointRequest.Fields(cookies: cookies),
                now: start
            )
        }

        /// Whether a client gets a code without a question.
        func isSignedIn(_ cookie: String? = nil) async throws -> Bool {
            try await singleSignOn.find(request([cookie ?? self.cookie])) != nil
        }

        func ask(
            _ method: String,
            _ parameters: Parameters,
            cookies: [String]? = nil,
            origin: String? = nil,
            site: String? = nil
        ) async throws -> EndpointResponse {
            let text = FormText.text(of: parameters)
            return try await fixture.ask(
                EndpointRequest(
                    endpoint: .logout,
                    method: method,
                    query: method == "GET" ? text : nil,
                    authority: "clans.example",
                    fields: EndpointRequest.Fields(
                        contentType: method == "POST" ? "application/x-www-form-urlencoded" : nil,
                        cookies: cookies ?? [cookie],
                        origin: origin,
                        secFetchSite: site
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
        #expect(try await !browser.isSignedIn())
    }

    @Test func endOfOneSessionEndsTheBrowsersAlone() async throws {
        let browser = try await Browser()
        #expect(try await browser.isSignedIn())
        try await browser.fixture.sessions.end(
            sessionID: browser.board.sessionID,
            at: Self.start,
            reason: "lost device"
        )
        #expect(try await !browser.isSignedIn())
        #expect(try await browser.isAlive(browser.service))
    }

    /// The session itself may go on: whoever revoked it may withdraw that.
    @Test func revokedSessionEndsTheBrowsersAtOnce() async throws {
        let browser = try await Browser()
        let code = try await browser.fixture.codes.issue(Self.grant(in: browser.group), at: Self.start)
        let sessions = browser.fixture.sessions
        let other = try await browser.fixture.tokens(for: .board)
        for id in ["unknown", try other.sessionID] { try await sessions.endBrowser(ofSession: id) }
        #expect(try await browser.isSignedIn())
        browser.fixture.store.fail([.replace])
        await #expect(throws: StoreError.self) { try await sessions.endBrowser(ofSession: browser.board.sessionID) }
        browser.fixture.store.onCall(nil)
        for _ in 0..<2 { try await sessions.endBrowser(ofSession: browser.board.sessionID) }
        #expect(try await !browser.isSignedIn())
        let response = try await browser.fixture.post(.token, browser.fixture.redemption(code, .board))
        #expect(response.outcome == "400 invalid_grant")
        for tokens in [browser.board, browser.service] { #expect(try await browser.isAlive(tokens)) }
        #expect(try await browser.signIn().group != browser.group)
    }

    /// It speaks for itself, and a code that is sent twice is the fault of a client.
    @Test func clientThatRevokesItsTokenLeavesTheBrowser() async throws {
        let browser = try await Browser()
        let form = [("token", try browser.board.refresh)] + IssuerClient.board.credentials
        #expect(try await browser.fixture.post(.revoke, form).status == 200)
        #expect(try await !browser.isAlive(browser.board))
        #expect(try await browser.isSignedIn())
    }

    @Test func signingInAgainKeepsTogetherWhatTheBrowserHasBegun() async throws {
        let browser = try await Browser()
        let again = try await browser.signIn()
        #expect(again.group == browser.group && again.cookie != browser.cookie)
        #expect(try await !browser.isSignedIn())
        #expect(try await browser.isSignedIn(again.cookie))
        // Whoever signs in with the old cookie in the browser changes nothing for the new one.
        #expect(try await browser.signIn().group != browser.group)
        #expect(try await browser.isSignedIn(again.cookie))
        var third = browser
        third.cookie = again.cookie
        third.cookie = try await third.signIn().cookie
        let response = try await third.ask("GET", [("id_token_hint", try #require(browser.board.idToken))], cookies: [])
        #expect(response.status == 200)
        for tokens in [browser.board, browser.service] { #expect(try await !browser.isAlive(tokens)) }
        #expect(try await !third.isSignedIn())
        // What has ended does not go on.
        #expect(try await third.signIn().group != browser.group)
    }

    @Test func anotherSubjectInTheBrowserSignsTheFirstOut() async throws {
        let browser = try await Browser()
        var bob = Account.alice
        bob.subject = "bob"
        browser.fixture.accounts.put(bob)
        let begun = try await browser.signIn(bob)
        #expect(begun.group != browser.group)
        #expect(try await browser.isSignedIn(begun.cookie))
        #expect(try await !browser.isSignedIn())
        for tokens in [browser.board, browser.service] { #expect(try await !browser.isAlive(tokens)) }
    }

    /// Whatever the store failed at, the same request ends the rest.
    @Test(arguments: [true, false], [WatchedStore.Call.replace, .remove, .revoke])
    func signOutThatFailedIsCompletedByTheNext(_ hasHint: Bool, _ failing: WatchedStore.Call) async throws {
        let browser = try await Browser()
        let store = browser.fixture.store
        var parameters: Parameters = [("id_token_hint", try #require(browser.board.idToken))]
        if !hasHint {
            parameters = PageReading(try await browser.ask("GET", [])).all("input").map {
                (name: $0.attributes["name"] ?? "", value: $0.attributes["value"] ?? "")
            }
        }
        var tries = 0
        while tries < 20 {
            // Each try gets one call further.
            let allowed = Counter(tries)
            store.onCall { (call) async throws(StoreError) in
                if call == failing, !allowed.take() { throw .unavailable("gone") }
            }
            let response = try await browser.ask("POST", parameters, cookies: hasHint ? [] : nil)
            store.onCall(nil)
            tries += 1
            if response.status == 200 { break }
            #expect(response.status == 503)
            #expect(!response.fields.contains { $0.name == "Set-Cookie" })
        }
        #expect(tries > 1 && tries < 20)
        for tokens in [browser.board, browser.service] {
            #expect(try await !browser.isAlive(tokens))
            #expect(try await !browser.fixture.isActive(tokens.accessToken))
        }
        #expect(try await !browser.isSignedIn())
    }

    /// Of a code that is issued in a browser's session at the issuer.
    private static func grant(in group: String) -> CodeGrant {
        var grant = CodeGrant(
            clientID: "board",
            redirectURI: "https://board.example/back",
            codeChallenge: IssuerFixture.challenge,
            scopes: ["openid"],
            subject: "alice",
            provider: "google",
            issuedAt: start
        )
        grant.singleSignOn = group
        return grant
    }

    @Test func codeOfBeforeTheSignOutIsVoid() async throws {
        for hasEnded in [false, true] {
            let browser = try await Browser()
            let fixture = browser.fixture
            let code = try await fixture.codes.issue(Self.grant(in: browser.group), at: Self.start)
            if hasEnded {
                _ = try await browser.ask("GET", [("id_token_hint", try #require(browser.service.idToken))])
            }
            let response = try await fixture.post(.token, fixture.redemption(code, .board))
            #expect(response.outcome == (hasEnded ? "400 invalid_grant" : "200 -"))
        }
    }

    /// The code is looked at before the sign-out, and its session is begun after it.
    @Test func codeThatIsRedeemedWhileTheSignOutEndsGivesNothing() async throws {
        let browser = try await Browser()
        let fixture = browser.fixture
        let code = try await fixture.codes.issue(Self.grant(in: browser.group), at: Self.start)
        let singleSignOn = try browser.singleSignOn
        let group = browser.group
        let isFirst = Counter(1)
        fixture.store.onCall { (call) async throws(StoreError) in
            // The session's record.
            guard call == .set, isFirst.take() else { return }
            _ = try? await singleSignOn.end(group, ofSubject: "alice", at: Self.start)
        }
        #expect(try await fixture.post(.token, fixture.redemption(code, .board)).outcome == "400 invalid_grant")
        #expect(try await fixture.sessions.sessions(ofSubject: "alice", at: Self.start).isEmpty)
    }

    /// Browsers send no cookie with it.
    @Test(arguments: [("cross-site", "https://board.example"), (nil, "https://board.example"), (nil, "null")])
    func formOfAnotherSiteComesAgainWithTheCookie(_ site: String?, _ origin: String) async throws {
        let browser = try await Browser()
        let form: Parameters = [
            ("client_id", "board"), ("post_logout_redirect_uri", "https://board.example/bye"), ("state", "a&b"),
            ("confirm", "x"),
        ]
        let response = try await browser.ask("POST", form, cookies: [], origin: origin, site: site)
        #expect(response.status == 303)
        let location = try #require(response.field("Location"))
        #expect(location.hasPrefix("/id/oauth2/logout?"))
        let sent = try FormFields(Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
        #expect(sent.all.map(\.name) == ["client_id", "post_logout_redirect_uri", "state"])
        #expect(sent["state"] == "a&b")
        #expect(try await browser.ask("GET", sent.all).status == 200)
        // Not for ever, nor with what no URL may have, nor where the cookie came.
        #expect(
            try await browser.ask("GET", form, cookies: [], origin: origin, site: site).field("Location")
                == "https://board.example/bye?state=a%26b"
        )
        let long = form + [("id_token_hint", String(repeating: "x", count: 6000))]
        #expect(try await browser.ask("POST", long, cookies: [], origin: origin, site: site).status == 400)
        #expect(try await browser.ask("POST", form, origin: origin, site: site).status == 200)
    }

    /// An app that posts by itself follows no redirect.
    @Test func formOfNoBrowserIsTakenAtOnce() async throws {
        let browser = try await Browser()
        let form: Parameters = [("id_token_hint", try #require(browser.board.idToken))]
        #expect(try await browser.ask("POST", form, cookies: []).status == 200)
        #expect(try await !browser.isAlive(browser.service))
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
        for _ in 0..<100 { _ = try await singleSignOn.begin(.alice, way, nil, isProven: false, request) }
        await #expect(throws: SignInFailure.self) {
            try await singleSignOn.begin(.alice, way, nil, isProven: false, request)
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
