import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct LogoutEndpointTests {
    private static let start = IssuerFixture.start
    private static let bye = "https://board.example/bye"

    private func isAlive(_ tokens: TokenResponse, _ fixture: IssuerFixture, at now: UnixTime = start) async throws
        -> Bool
    {
        try await fixture.sessions.session(tokens.sessionID, at: now) != nil
    }

    @Test func hintEndsSessionAndRedirects() async throws {
        let fixture = try IssuerFixture()
        let (tokens, other) = (try await fixture.tokens(for: .board), try await fixture.tokens(for: .board))
        let query: Parameters = [
            ("id_token_hint", try tokens.id), ("client_id", "board"), ("post_logout_redirect_uri", Self.bye),
            ("state", "a b&c=é"),
        ]
        let response = try await fixture.get(.logout, query)
        #expect(response.status == 303)
        #expect(response.field("Location") == "https://board.example/bye?state=a%20b%26c%3D%C3%A9")
        #expect(response.field("Cache-Control") == "no-store")
        #expect(response.subject == "alice")
        #expect(try await !isAlive(tokens, fixture))
        #expect(try await isAlive(other, fixture))
        #expect(try await !fixture.isActive(tokens.access))
    }

    @Test func postedRequestIsAccepted() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let form: Parameters = [
            ("id_token_hint", try tokens.id), ("post_logout_redirect_uri", "clanboards://signed-out"),
        ]
        let response = try await fixture.post(.logout, form)
        #expect(response.field("Location") == "clanboards://signed-out")
        #expect(try await !isAlive(tokens, fixture))
    }

    @Test func queryOfRedirectURIIsKept() async throws {
        let fixture = try IssuerFixture()
        let query: Parameters = [
            ("id_token_hint", try await fixture.tokens(for: .board).id), ("state", "1"),
            ("post_logout_redirect_uri", Self.bye + "?from=id"),
        ]
        #expect(try await fixture.get(.logout, query).field("Location") == Self.bye + "?from=id&state=1")
    }

    @Test func missingRedirectURIShowsPage() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let response = try await fixture.get(.logout, [("id_token_hint", try tokens.id)])
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self).contains("<h1>You are signed out</h1>"))
        #expect(response.field("Content-Type") == "text/html; charset=utf-8")
        #expect(response.field("Content-Security-Policy")?.hasPrefix("default-src 'none';") == true)
        #expect(response.field("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
        #expect(response.field("Cache-Control") == "no-store")
        #expect(try await !isAlive(tokens, fixture))
    }

    @Test func expiredIDTokenIsAcceptedAsHint() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let later = Self.start + 20 * 86_400
        #expect(try await fixture.get(.logout, [("id_token_hint", try tokens.id)], at: later).status == 200)
        #expect(try await !isAlive(tokens, fixture, at: later))
    }

    @Test func repeatedLogoutSucceeds() async throws {
        let fixture = try IssuerFixture()
        let query: Parameters = [("id_token_hint", try await fixture.tokens().id)]
        for _ in 0..<2 { #expect(try await fixture.get(.logout, query).status == 200) }
    }

    @Test func missingHintEndsNothing() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(for: .board)
        let leading: Parameters = [("client_id", "board"), ("post_logout_redirect_uri", Self.bye), ("state", "1")]
        #expect(try await fixture.get(.logout, leading).field("Location") == Self.bye + "?state=1")
        for query in [[], [("client_id", "board")], [("state", "1"), ("sid", try tokens.sessionID)]] as [Parameters] {
            let response = try await fixture.get(.logout, query, authorization: "Bearer \(tokens.access)")
            #expect(response.status == 200)
            #expect(!String(decoding: response.body, as: UTF8.self).contains("You are signed out"))
        }
        #expect(try await isAlive(tokens, fixture))
        #expect(try await fixture.isActive(tokens.access))
    }

    @Test(arguments: [
        "https://board.example/bye/", "https://board.example/byebye", "https://board.example/bye?",
        "HTTPS://board.example/bye",
        "https://board.example/bye#x", "https://board.example:443/bye", "https://board.example@evil.example/bye",
        "//board.example/bye", "https://board.example/back", "clanboards://signed-out", "javascript:alert(1)",
    ])
    func unregisteredRedirectURIIsNotFollowed(_ uri: String) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(for: .board)
        let hint: Parameters = [("id_token_hint", try tokens.id)]
        for query in [hint, [("client_id", "board")], []] {
            let response = try await fixture.get(.logout, query + [("post_logout_redirect_uri", uri)])
            #expect(response.status == 400)
            #expect(response.field("Location") == nil)
            #expect(!String(decoding: response.body, as: UTF8.self).contains(uri))
        }
        #expect(try await isAlive(tokens, fixture))
    }

    @Test func invalidHintEndsNothing() async throws {
        let store = WatchedStore()
        let (fixture, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let (own, others) = (try await fixture.tokens(for: .board), try await chat.tokens(for: .board))
        for token in [own.access, own.refresh, try others.id, "x", try own.id + "A"] {
            let query: Parameters = [("id_token_hint", token), ("post_logout_redirect_uri", Self.bye)]
            let response = try await fixture.get(.logout, query + [("client_id", "board")])
            #expect(response.status == 400)
            #expect(response.field("Location") == nil)
        }
        #expect(try await isAlive(own, fixture))
        #expect(try await isAlive(others, chat))
    }

    @Test(arguments: ["mobile", "nobody", "Board"])
    func clientMustMatchHint(_ client: String) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(for: .board)
        let query: Parameters = [("id_token_hint", try tokens.id), ("client_id", client)]
        #expect(try await fixture.get(.logout, query).status == 400)
        #expect(try await isAlive(tokens, fixture))
    }

    @Test func malformedRequestIsRefused() async throws {
        let fixture = try IssuerFixture()
        for text in ["client_id=board&client_id=board", "state=%zz"] {
            #expect(try await fixture.post(.logout, text: text).status == 400)
        }
        #expect(try await fixture.post(.logout, text: "{}", contentType: "application/json").status == 400)
    }

    @Test func storeFailureIsReported() async throws {
        let fixture = try IssuerFixture()
        let query: Parameters = [("id_token_hint", try await fixture.tokens().id)]
        fixture.store.fail(WatchedStore.Call.allCases)
        let response = try await fixture.get(.logout, query)
        #expect(response.status == 503)
        #expect(response.field("Retry-After") == "1")
    }
}
