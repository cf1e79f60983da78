import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// The page of people's own accounts.
struct AccountPageTests {
    @Test func pageShowsOwnSessionsAndLogins() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        _ = try await fixture.signIn(device: "Shop/7 (iPhone)")
        _ = try await fixture.signIn(AccountFixture.google("mallory", email: "m@example.org"), device: "Mallory/1")
        let response = try await fixture.page(session)
        #expect(response.status == 200 && response.subject == session.subject)
        let page = PageReading(response)
        #expect(page.isBalanced)
        for text in [
            "Your account", "Firefox · Windows", "Shop · iPhone", "192.0.2.7", "This device", "Google", "Alice",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains("Mallory"))
        let tokens = page.all("input").filter { $0.attributes["name"] == "token" }.map { $0.attributes["value"] }
        #expect(Set(tokens).count == 1)
        #expect(!response.text.contains(session.tokens.accessToken))
    }

    /// No script, no frame, no other site: except for the script and the forms of the page itself.
    @Test func pageIsKeptFromCachesAndOtherSites() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        let response = try await fixture.page(session)
        #expect(response.value(of: "Cache-Control") == "no-store")
        // Otherwise browsers send its forms with `Origin: null`.
        #expect(response.value(of: "Referrer-Policy") == "same-origin")
        // A page that has opened it, and isolates itself, is not in its group.
        #expect(response.value(of: "Cross-Origin-Opener-Policy") == "same-origin")
        #expect(response.value(of: "Cross-Origin-Embedder-Policy") == "require-corp")
        let policy = try #require(response.value(of: "Content-Security-Policy"))
        for directive in [
            "default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action shop.test/account",
            "script-src shop.test/account/passkeys.js", "connect-src shop.test/account",
        ] {
            #expect(policy.split(separator: "; ").contains(Substring(directive)), "\(directive)")
        }
        #expect(PageReading(response).all("script").map { $0.attributes["src"] } == ["/account/passkeys.js"])
        let later = try await fixture.page(session, at: AccountPageFixture.start + 1000)
        #expect(PageReading(later).all("script") == [])
        #expect(later.value(of: "Content-Security-Policy")?.contains("script-src") == false)
    }

    @Test(arguments: [
        ("de-AT, en;q=0.5", "de", "Ihr Konto"), ("es", "es", "Su cuenta"), ("fr;q=0.9, en;q=0.8", "fr", "Votre compte"),
        ("ja", "ja", "アカウント"), ("pt", "en", "Your account"), ("en;q=0, de;q=0.001", "de", "Ihr Konto"),
        ("de;q=2", "en", "Your account"), (String(repeating: "x,", count: 5000) + "de", "en", "Your account"),
    ])
    func pageIsInTheLanguageOfTheBrowser(_ accepted: String, _ language: String, _ title: String) async throws {
        let fixture = try AccountPageFixture()
        let response = try await fixture.page(try await fixture.signIn(), language: accepted)
        let page = PageReading(response)
        #expect(page.all("html").first?.attributes["lang"] == language)
        #expect(page.text.contains(title))
        #expect(response.value(of: "Vary") == "Accept-Language")
    }

    @Test func textsOfProvidersAndClientsAreEscaped() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn(AccountFixture.google(name: "<b>{}"), device: "<script>x</script>/1")
        let response = try await fixture.page(session)
        #expect(!response.text.contains("<b>") && !response.text.contains("<script>x"))
        #expect(PageReading(response).text.contains("<b>{}"))
    }

    // MARK: Who is at the page

    @Test func strangerIsLedToSignInAndBack() async throws {
        let fixture = try AccountPageFixture()
        let response = try await fixture.page(nil)
        #expect(response.status == 303)
        let back = "https%3A%2F%2Fshop.test%2Faccount"
        #expect(response.value(of: "Location") == "/login?after=\(back)")
        var login = EndpointRequest(
            endpoint: .webLogin,
            method: "GET",
            query: "after=\(back)",
            authority: AccountPageFixture.host,
            now: AccountPageFixture.start
        )
        #expect(try await fixture.respond(to: login).response.status == 200)
        login.query = "after=https%3A%2F%2Fshop.test%2Fother"
        #expect(try await fixture.respond(to: login).response.status == 400)
    }

    @Test func expiredTokenIsRefreshedByCookie() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        let response = try await fixture.page(session, at: AccountPageFixture.start + 3600)
        #expect(response.status == 200)
        #expect(response.cookies.map { $0.prefix { $0 != "=" } } == ["ce_access_token", "ce_refresh_token"])
    }

    /// A client of the issuer has tokens of its users, who did not give it their accounts.
    @Test func clientsTokenIsNoVisitor() async throws {
        let fixture = try AccountPageFixture()
        let partner = try await fixture.signIn(client: "partner")
        #expect(try await fixture.page(partner).status == 303)
        #expect(try await fixture.post(.signOutOthers, partner, token: "").response.status == 401)
    }

    @Test func endedSessionIsNoVisitor() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        try await fixture.sessions.end(sessionID: session.tokens.sessionID, at: AccountPageFixture.start)
        #expect(try await fixture.page(session).status == 303)
    }

    @Test func unavailableStoreIsSaid() async throws {
        let store = WatchedStore()
        let fixture = try AccountPageFixture(store: store)
        let session = try await fixture.signIn()
        store.fail([.value])
        let response = try await fixture.page(session)
        #expect(response.status == 503 && response.value(of: "Retry-After") == "1")
    }

    // MARK: Forms

    @Test func sessionIsEndedByItsOwner() async throws {
        let fixture = try AccountPageFixture()
        let (here, there) = (try await fixture.signIn(), try await fixture.signIn())
        let notice = try await fixture.notice(.signOut, here, [("session", there.tokens.sessionID)])
        #expect(notice == "session_ended")
        #expect(try await !fixture.isLive(there))
        #expect(try await fixture.isLive(here))
        #expect(try await PageReading(fixture.page(here, query: "notice=session_ended")).text.contains("is ended"))
        #expect(fixture.log.lines.contains { $0.contains("changed by its owner") && $0.contains("action=sign_out") })
    }

    @Test func sessionOfSomebodyElseIsNotEnded() async throws {
        let fixture = try AccountPageFixture()
        let alice = try await fixture.signIn()
        let mallory = try await fixture.signIn(AccountFixture.google("mallory", email: nil))
        #expect(try await fixture.notice(.signOut, mallory, [("session", alice.tokens.sessionID)]) == "gone")
        #expect(try await fixture.notice(.signOutOthers, mallory) == "others_ended")
        #expect(try await fixture.isLive(alice))
    }

    /// Also what is in no list yet, and codes that nobody has redeemed: whatever was begun before.
    @Test func allOtherSessionsAreEnded() async throws {
        let fixture = try AccountPageFixture()
        let here = try await fixture.signIn()
        let others = [try await fixture.signIn(), try await fixture.signIn(client: "partner")]
        let now = AccountPageFixture.start + 60
        let response = try await fixture.post(.signOutOthers, here, at: now).response
        #expect(response.value(of: "Location") == "/account?notice=others_ended")
        for other in others + [here] { #expect(try await !fixture.isLive(other)) }
        let revoked = await fixture.revocations.latestRevocation(ofSubject: here.subject, tenant: fixture.tenant.name)
        #expect(revoked == now)
        // The visitor goes on, with a session that is no newer a sign-in.
        let all = try await fixture.sessions.sessions(ofSubject: here.subject, at: now)
        let session = try #require(all.first)
        #expect(session.authenticatedAt == AccountPageFixture.start)
        #expect(session.signedInAt == session.createdAt && session.createdAt > now)
        #expect(session.beganInBrowser)
        let cookies = response.cookies.map { String($0.prefix { $0 != ";" }) }
        var request = EndpointRequest(
            endpoint: .accountPage,
            method: "GET",
            authority: AccountPageFixture.host,
            now: now + 1
        )
        request.fields.cookies = [cookies.joined(separator: "; ")]
        #expect(try await fixture.respond(to: request).response.subject == here.subject)
    }

    /// Somebody has got into one of the logins: what was begun by it ends with it.
    @Test func sessionsOfUnlinkedLoginAreEnded() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        let here = try await fixture.signIn(AccountFixture.apple())
        let (thief, phone) = (try await fixture.signIn(), try await fixture.signIn(AccountFixture.apple()))
        let google = [("provider", "google"), ("subject", "1098765")]
        #expect(try await fixture.notice(.unlink, here, google) == "unlinked")
        #expect(try await !fixture.isLive(thief))
        for session in [here, phone] { #expect(try await fixture.isLive(session)) }
    }

    /// Whoever got into a login may have a code that is not redeemed yet.
    @Test func codeOfUnlinkedLoginIsWorthNothing() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        let here = try await fixture.signIn(AccountFixture.apple())
        _ = try await fixture.signIn()
        let codes = [try await fixture.code(of: here.subject), try await fixture.code(of: here.subject)]
        #expect(try await fixture.redeem(codes[0]) == 200)
        let google = [("provider", "google"), ("subject", "1098765")]
        #expect(try await fixture.notice(.unlink, here, google) == "unlinked")
        #expect(try await fixture.redeem(codes[1]) == 400)
        #expect(try await fixture.sessions.sessions(ofSubject: here.subject, at: AccountPageFixture.start).count == 1)
    }

    /// The store failed between the change and the end of the sessions.
    @Test func repeatedUnlinkingEndsWhatTheFirstLeft() async throws {
        let store = WatchedStore()
        let fixture = try AccountPageFixture(store: store, rules: AccountRules(linkByEmail: true))
        let here = try await fixture.signIn(AccountFixture.apple())
        let thief = try await fixture.signIn()
        let google = [("provider", "google"), ("subject", "1098765")]
        let token = try await fixture.formToken(here)
        store.fail([.remove])
        let failed = try await fixture.post(.unlink, here, google, token: token).response
        #expect(failed.value(of: "Location") == "/account?notice=unavailable")
        #expect(try await fixture.isLive(thief))
        #expect(fixture.log.lines.contains { $0.contains("changed by its owner") && $0.contains("action=unlink") })
        store.onCall(nil)
        #expect(try await fixture.notice(.unlink, here, google) == "gone")
        #expect(try await !fixture.isLive(thief))
    }

    @Test func sessionOfAProviderThatSaysNothingIsNotFresh() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        _ = try await fixture.signIn(AccountFixture.apple())
        let session = try await fixture.signIn(isProven: false)
        let google = [("provider", "google"), ("subject", "1098765")]
        #expect(try await fixture.notice(.unlink, session, google) == "sign_in_again")
    }

    /// A provider's own session that somebody has left open is no sign-in.
    @Test func signInLongAgoAtTheProviderIsNotRecent() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        _ = try await fixture.signIn(AccountFixture.apple())
        let ago = AccountPageFixture.start + -IssuerSession.freshness
        let session = try await fixture.signIn(authenticatedAt: ago)
        let google = [("provider", "google"), ("subject", "1098765")]
        #expect(try await fixture.notice(.unlink, session, google) == "sign_in_again")
    }

    @Test func ownSessionIsEndedWithItsCookies() async throws {
        let fixture = try AccountPageFixture()
        let here = try await fixture.signIn()
        let response = try await fixture.post(.signOut, here, [("session", here.tokens.sessionID)]).response
        #expect(response.value(of: "Location") == "/account?notice=signed_out")
        #expect(response.fields.clearsCookies)
        let page = try await fixture.page(here, query: "notice=signed_out")
        #expect(page.status == 200 && PageReading(page).text.contains("You are signed out"))
    }

    @Test func formOfAnotherSiteOrSessionChangesNothing() async throws {
        let fixture = try AccountPageFixture()
        let (here, there) = (try await fixture.signIn(), try await fixture.signIn())
        let fields = [("session", there.tokens.sessionID)]
        let foreign = try await fixture.post(.signOut, here, fields, origin: "https://evil.test")
        #expect(foreign.refusal?.code == .crossSiteRequest)
        for token in ["", "x", try await fixture.formToken(there)] {
            let response = try await fixture.post(.signOut, here, fields, token: token).response
            #expect(response.value(of: "Location") == "/account?notice=outdated")
        }
        #expect(try await fixture.isLive(there))
    }

    /// Origins that `cors` trusts with credentials are no exception: the page has what its forms are known by.
    @Test(arguments: ["https://evil.test", "https://shop.test.evil.test", "https://shop.test:8443", "null"])
    func scriptsOfOtherOriginsDoNotGetThePage(origin: String) async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        #expect(try await fixture.asked(session, origin: origin).refusal?.code == .crossSiteRequest)
    }

    /// A script that somebody has got into the app's own pages would add a passkey of its own.
    @Test(arguments: [("cors", "empty"), ("no-cors", "empty"), ("navigate", "iframe"), ("navigate", "object")])
    func scriptsAndFramesOfTheAppDoNotReadThePage(mode: String, destination: String) async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        func asked(_ mode: String, _ destination: String) async throws -> EndpointResult {
            try await fixture.asked(session) { fields in
                fields.secFetchSite = "same-origin"
                fields.secFetchMode = mode
                fields.secFetchDest = destination
            }
        }
        #expect(try await asked(mode, destination).refusal?.status == 403)
        #expect(try await asked("navigate", "document").response.status == 200)
    }

    /// Another site could stop the page before its cookies arrive, and the session would end with the next use of the old one.
    @Test func linkOfAnotherSiteUsesNoRefreshTokenUp() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        // A good access token needs no refresh; but nothing was done here that a link could tell of.
        let shown = try await fixture.asked(session, query: "notice=added") { $0.secFetchSite = "cross-site" }.response
        #expect(shown.subject == session.subject && !PageReading(shown).text.contains("is added"))
        let later = AccountPageFixture.start + 3600
        for site in ["cross-site", "same-site"] {
            let response = try await fixture.asked(session, query: "notice=added", at: later) { fields in
                fields.secFetchSite = site
            }.response
            #expect(response.value(of: "Refresh") == "0; url=/account" && response.cookies.isEmpty)
            #expect(!PageReading(response).text.contains("Firefox"))
        }
        let own = try await fixture.asked(session, at: later) { $0.secFetchSite = "same-origin" }.response
        #expect(own.status == 200 && own.cookies.count == 2)
    }

    @Test func providerThatRefusesIsNotAskedForEver() async throws {
        let response = try await AccountPageFixture().page(nil, query: "error=access_denied")
        #expect(response.status == 200 && response.value(of: "Location") == nil)
        #expect(PageReading(response).all("a").count == 1)
    }

    /// Whoever finds a browser open takes nobody's ways in away.
    @Test func loginIsUnlinkedAfterRecentSignInAlone() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        let session = try await fixture.signIn()
        _ = try await fixture.signIn(AccountFixture.apple())
        let google = [("provider", "google"), ("subject", "1098765")]
        let later = AccountPageFixture.start + IssuerSession.freshness
        let response = try await fixture.post(.unlink, session, google, at: later).response
        #expect(response.value(of: "Location") == "/account?notice=sign_in_again")
        #expect(try await fixture.account(session).identities.count == 2)
    }

    @Test func loginIsUnlinkedUnlessItIsTheLast() async throws {
        let fixture = try AccountPageFixture(rules: AccountRules(linkByEmail: true))
        let session = try await fixture.signIn()
        let google = [("provider", "google"), ("subject", "1098765")]
        #expect(try await fixture.notice(.unlink, session, google) == "last_way_in")
        _ = try await fixture.signIn(AccountFixture.apple())
        #expect(try await fixture.account(session).identities.count == 2)
        #expect(try await fixture.notice(.unlink, session, google) == "unlinked")
        #expect(try await fixture.account(session).identities.map(\.provider) == [.apple])
        // Whoever signs in with it now has another account, even with the same e-mail.
        let again = try await fixture.signIn()
        #expect(again.subject != session.subject)
        #expect(try await fixture.notice(.unlink, session, google) == "gone")
    }
}
