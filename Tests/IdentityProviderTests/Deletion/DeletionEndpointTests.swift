import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider
@testable import Localization
@testable import Tenants

/// People who delete their accounts.
struct DeletionEndpointTests {
    @Test func deletionEndsEverythingAndIsReceipted() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let other = try await fixture.signIn()
        let result = await fixture.delete(session)
        let response = try result.response
        #expect(response.status == 202)
        #expect(response.value(of: "Cache-Control") == "no-store")
        let id = try result.object.text("id")
        #expect(response.value(of: "Location") == "\(DeletionFixture.receiptPath)?id=\(id)")
        #expect(try result.states["sessions"] == "done")
        #expect(try result.states["account"] == "done")
        #expect(try result.states["backend"] == "pending")
        for ended in [session, other] {
            #expect(try await fixture.sessions.session(ended.tokens.sessionID, at: fixture.now) == nil)
        }
        #expect(fixture.revocations.all.contains { $0.target == .subject(session.subject) })
        #expect(try await fixture.accounts.account(ofSubject: session.subject) == nil)
        #expect(try await fixture.signIn().subject != session.subject)

        await fixture.deletions.work()
        let shown = await fixture.receipt(id)
        #expect(try shown.response.status == 200)
        #expect(try shown.response.value(of: "Cache-Control") == "no-store")
        #expect(
            try shown.states == [
                "sessions": "done", "account": "done", "apple": "nothing_to_do", "google": "nothing_to_do",
                "backend": "done",
            ]
        )
        let call = try #require(fixture.sides.calls.first)
        #expect(call.method == "DELETE")
        #expect(call.target == "/internal/users/\(session.subject)")
        #expect(fixture.log.lines.allSatisfy { !$0.contains("@") })
        #expect(fixture.log.lines.contains { $0.hasPrefix("notice the deletion of an account is complete") })
    }

    /// The first response may have been lost; its tokens are revoked by then.
    @Test func repetitionGetsTheSameReceipt() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let first = try await fixture.delete(session).object.text("id")
        let again = await fixture.delete(session)
        #expect(try again.response.status == 202)
        #expect(try again.object.text("id") == first)
        // A revoked token of an account that is there gets none.
        let bob = try await fixture.signIn(AccountFixture.google("bob", email: nil))
        try await fixture.sessions.end(sessionID: bob.tokens.sessionID, at: fixture.now)
        #expect(await fixture.delete(bob).refusal?.code == .tokenRevoked)
    }

    @Test func deletionWithoutTheStoreIsRefusedAndNothingIsLost() async throws {
        let store = WatchedStore()
        let fixture = try DeletionFixture(store: store)
        let session = try await fixture.signIn()
        store.fail([.change])
        let refusal = try #require(await fixture.delete(session).refusal)
        #expect(refusal.status == 503)
        #expect(refusal.retryAfterSeconds != nil)
        store.onCall(nil)
        #expect(try await fixture.accounts.account(ofSubject: session.subject) != nil)
        #expect(try await fixture.delete(session).response.status == 202)
    }

    /// The deletion is in the store: what follows is tried again.
    @Test func storeThatFailsAfterwardsLeavesTheRestToBeDone() async throws {
        let store = WatchedStore()
        let fixture = try DeletionFixture(store: store)
        let session = try await fixture.signIn()
        store.fail([.replace])
        let result = await fixture.delete(session)
        #expect(try result.response.status == 202)
        #expect(try result.states["account"] == "pending")
        store.onCall(nil)
        fixture.pass(10)
        await fixture.deletions.work()
        #expect(try await fixture.receipt(result.object.text("id")).states["account"] == "done")
        #expect(try await fixture.accounts.account(ofSubject: session.subject) == nil)
    }

    @Test func requestsOfOthersAreRefused() async throws {
        let fixture = try DeletionFixture()
        #expect(await fixture.delete(nil).refusal?.code == .missingToken)
        let client = try await fixture.signIn(client: "partner")
        #expect(await fixture.delete(client).refusal?.code == .notAllowed)
        let session = try await fixture.signIn()
        let foreign = await fixture.delete(session, byCookie: true, origin: "https://evil.example")
        #expect(foreign.refusal?.code == .crossSiteRequest)
        let own = try await fixture.delete(session, byCookie: true, origin: "https://chat.example").response
        #expect(own.status == 202)
        #expect(own.fields.clearsCookies)
    }

    /// Whoever finds a browser open deletes nobody's account: the same token is worth the same in another field.
    @Test(arguments: [true, false])
    func browserDeletesAfterRecentSignInAlone(byCookie: Bool) async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn(beganInBrowser: true)
        fixture.pass(IssuerSession.freshness)
        let late = await fixture.delete(session, byCookie: byCookie, origin: "https://chat.example").refusal
        #expect(late?.status == 403 && late?.code == .notAllowed)
        #expect(try await fixture.accounts.account(ofSubject: session.subject) != nil)
        let again = try await fixture.signIn(beganInBrowser: true)
        let deleted = await fixture.delete(again, byCookie: byCookie, origin: "https://chat.example")
        #expect(try deleted.response.status == 202)
    }

    /// An app has its token for itself, and asks its user. In a cookie it would be a browser's.
    @Test func appDeletesWithoutRecentSignIn() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        fixture.pass(IssuerSession.freshness)
        let inCookie = await fixture.delete(session, byCookie: true, origin: "https://chat.example").refusal
        #expect(inCookie?.status == 403)
        #expect(try await fixture.delete(session).response.status == 202)
    }

    /// Of whom such a session is, its record does not say.
    @Test func sessionOfAnEarlierVersionIsJudgedByWhereItsTokenIs() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn(beganInBrowser: true)
        let key = StoreKey(tenant: fixture.tenant.name, kind: "session", name: session.tokens.sessionID)
        let record = try #require(try await fixture.store.value(for: key))
        var object = try #require(JSONParser.parse(record).object)
        #expect(object["browser"] == true)
        object["browser"] = nil
        try await fixture.store.set(JSONWriter.bytes(of: object), for: key, lifetime: .seconds(86_400))
        fixture.pass(IssuerSession.freshness)
        let inCookie = await fixture.delete(session, byCookie: true, origin: "https://chat.example").refusal
        #expect(inCookie?.status == 403)
        #expect(try await fixture.delete(session).response.status == 202)
    }

    @Test(arguments: ["AAAAAAAAAAAAAAAAAAAAAA", "x", "AAAAAAAAAAAAAAAAAAAAA%2F"])
    func unknownReceiptIsNotFound(_ id: String) async throws {
        #expect(await (try DeletionFixture()).receipt(id).refusal?.status == 404)
    }

    @Test func receiptWithoutIDIsABadRequest() async throws {
        #expect(await (try DeletionFixture()).receipt(nil).refusal?.status == 400)
    }

    /// A sign-in that found its account before the deletion, and begins its session after it.
    @Test func sessionBegunWhileTheAccountGoesIsEnded() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        _ = await fixture.delete(session)
        fixture.pass(60)
        let late = try await fixture.sessions.start(SessionOpening(subject: session.subject), at: fixture.now)
        let context = fixture.exchange.context
        await #expect(throws: EndpointRefusal.self) {
            try await context.checkAccount(of: late, subject: session.subject, by: nil, at: fixture.now)
        }
        #expect(try await fixture.sessions.session(late.sessionID, at: fixture.now) == nil)
    }

    // MARK: The account page

    @Test func pageAsksOnceMoreAndThenDeletes() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let question = try await fixture.post(.askDeletion, session).response
        #expect(question.status == 200)
        let forms = PageReading(question).all("input").map { $0.attributes["value"] ?? "" }
        #expect(forms.contains("delete_account"))
        #expect(try await fixture.accounts.account(ofSubject: session.subject) != nil)
        let done = try await fixture.post(.deleteAccount, session).response
        #expect(done.status == 202)
        #expect(String(decoding: done.body, as: UTF8.self).contains("Ihr Konto wird gelöscht"))
        #expect(done.fields.clearsCookies)
        #expect(try await fixture.accounts.account(ofSubject: session.subject) == nil)
    }

    @Test func oldSignInOrForeignFormDeletesNothing() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let foreign = try await fixture.post(.deleteAccount, session, token: "forged").response
        #expect(foreign.value(of: "Location")?.hasSuffix("outdated") ?? false)
        fixture.pass(IssuerSession.freshness)
        for action in [AccountAction.askDeletion, .deleteAccount] {
            let response = try await fixture.post(action, session).response
            #expect(response.value(of: "Location")?.hasSuffix("sign_in_again") ?? false)
        }
        #expect(try await fixture.accounts.account(ofSubject: session.subject) != nil)
    }

    @Test(arguments: PageLanguage.BuiltIn.allCases)
    func textsAreThereInEveryLanguage(_ language: PageLanguage.BuiltIn) {
        let texts = Mirror(reflecting: DeletionTexts.builtIn(language)).children.compactMap { $0.value as? String }
        #expect(texts.count == 9)
        #expect(texts.allSatisfy { !$0.isEmpty })
    }
}
