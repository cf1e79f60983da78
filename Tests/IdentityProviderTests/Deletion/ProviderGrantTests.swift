import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider
@testable import Tenants

/// Tokens of Apple and Google that are kept with accounts, and taken back.
struct ProviderGrantTests {
    private static let app = SignedByProviders.apps[0]

    private static func given(_ token: String, client: String = app) throws -> GivenToken {
        try #require(GivenToken(clientID: client, token: token))
    }

    /// An account with a token of each provider.
    private static func withTokens(_ fixture: DeletionFixture) async throws -> BrowserSession {
        let session = try await fixture.signIn()
        let subject = session.subject
        await fixture.keeper.keep(
            try given("apple-token"),
            of: AccountFixture.apple(),
            forSubject: subject,
            at: fixture.now
        )
        await fixture.keeper.keep(
            try given("google-token", client: "shop-web"),
            of: AccountFixture.google(),
            forSubject: subject,
            at: fixture.now
        )
        return session
    }

    private static func respond(_ fixture: DeletionFixture, _ outcome: DeletionSides.Outcome) {
        for url in [DeletionFixture.appleRevoke, DeletionFixture.googleRevoke] {
            fixture.sides.respond(outcome, at: url)
        }
    }

    @Test func tokensAreTakenBackAndForgotten() async throws {
        let fixture = try DeletionFixture()
        let session = try await Self.withTokens(fixture)
        Self.respond(fixture, .text(""))
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "done")
        #expect(try await fixture.receipt(id).states["google"] == "done")
        let form = try #require(try fixture.sides.forms(to: DeletionFixture.appleRevoke).first)
        #expect(form["token"] == "apple-token")
        #expect(form["client_id"] == Self.app)
        #expect(form["token_type_hint"] == "refresh_token")
        #expect(form["client_secret"]?.split(separator: ".").count == 3)
        #expect(try fixture.sides.forms(to: DeletionFixture.googleRevoke).first?["token"] == "google-token")
        #expect(try await fixture.grants(session.subject).isEmpty)
    }

    @Test func tokensAreSealedInTheStore() async throws {
        let fixture = try DeletionFixture()
        let session = try await Self.withTokens(fixture)
        let key = StoreKey(tenant: "chat", kind: "account-grants", hashing: session.subject.utf8)
        let bytes = try #require(try await fixture.store.value(for: key))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("token"))
        #expect(try await fixture.grants(session.subject).count == 2)
    }

    @Test(arguments: ["invalid_token", "invalid_grant"])
    func tokenThatIsNotValidAnyMoreIsDone(_ error: String) async throws {
        let fixture = try DeletionFixture()
        let session = try await Self.withTokens(fixture)
        Self.respond(fixture, .json(["error": .string(error)], status: 400))
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "done")
    }

    @Test func refusedClientIsTriedAgainWithAWarningOnceInAWhile() async throws {
        let fixture = try DeletionFixture()
        let session = try await Self.withTokens(fixture)
        Self.respond(fixture, .json(["error": "invalid_client"], status: 400))
        let id = try await fixture.delete(session).object.text("id")
        for _ in 0..<3 {
            await fixture.deletions.work()
            fixture.pass(60)
        }
        let deletion = try #require(try await fixture.deletions.deletion(id))
        #expect(deletion.attempts(at: .apple)?.failure == DeletionFailure(.clientRefused, status: 400))
        #expect(deletion.attempts(at: .apple).map { $0.count >= 2 } ?? false)
        let warnings = fixture.log.lines.filter { $0.hasPrefix("warning") && $0.contains("step=apple") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("remedy=check the client ID") ?? false)
        Self.respond(fixture, .text(""))
        fixture.pass(3600)
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "done")
    }

    @Test(
        arguments: [.failure(.timeout), .failure(.garbled), .text("", status: 500), .text("", status: 429)]
            as [DeletionSides.Outcome]
    )
    func troubleOfAProviderKeepsTheStep(_ outcome: DeletionSides.Outcome) async throws {
        let fixture = try DeletionFixture()
        let session = try await Self.withTokens(fixture)
        Self.respond(fixture, outcome)
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "pending")
        #expect(try await fixture.receipt(id).states["backend"] == "done")
        #expect(try await fixture.grants(session.subject).count == 2)
    }

    @Test(arguments: [
        (200, "done"), (204, "done"), (404, "done"), (410, "done"), (401, "pending"), (302, "pending"),
        (503, "pending"),
    ])
    func backendSaysWhetherItIsDone(_ status: Int, _ state: String) async throws {
        let fixture = try DeletionFixture()
        fixture.sides.respondAsBackend(.success(status))
        let id = try await fixture.delete(try await fixture.signIn()).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["backend"] == state)
    }

    @Test func everyBackendOfTheRealmIsToldThoughAnotherFails() async throws {
        let fixture = try DeletionFixture(others: ["driver", "finance"])
        fixture.sides.respondAsBackend(500, below: "/driver/")
        let session = try await fixture.signIn()
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["backend"] == "pending")
        let targets = ["internal", "driver", "finance"].map { "/\($0)/users/\(session.subject)" }
        #expect(fixture.sides.calls.map(\.target) == targets)
        #expect(fixture.log.lines.contains { $0.contains("backend=driver") && $0.contains("status=500") })
        fixture.sides.respondAsBackend(404, below: "/driver/")
        fixture.pass(3600)
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["backend"] == "done")
        #expect(fixture.sides.calls.map(\.target) == targets + targets)
    }

    @Test func backendsCallIsSigned() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        let field = try #require(fixture.sides.calls.first?.fields.first { $0.name == "Authorization" })
        let parts = field.value.dropFirst("Bearer ".count).split(separator: ".")
        let header = try Self.object(parts[0])
        let claims = try Self.object(parts[1])
        #expect(header["typ"] == "hook+jwt")
        #expect(claims["aud"]?.string == "/internal/users/\(session.subject)")
        #expect(claims["sub"]?.string == session.subject)
        #expect(claims["method"] == "DELETE")
        #expect(claims["deletion"]?.string == id)
    }

    private static func object(_ part: Substring) throws -> JSONObject {
        let bytes = try #require(Base64URL.decode(String(part)))
        let value = try JSONParser.parse(bytes)
        return try #require(value.object)
    }

    /// A sign-in that was under way keeps its token after the deletion has looked for it.
    @Test func tokenKeptAfterTheDeletionIsTakenBackToo() async throws {
        let fixture = try DeletionFixture()
        Self.respond(fixture, .text(""))
        let session = try await fixture.signIn()
        let id = try await fixture.delete(session).object.text("id")
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "nothing_to_do")
        let apple = AccountFixture.apple()
        await fixture.keeper.keep(try Self.given("late"), of: apple, forSubject: session.subject, at: fixture.now)
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "done")
        #expect(try fixture.sides.forms(to: DeletionFixture.appleRevoke).map { $0["token"] } == ["late"])
    }

    /// The deletion has read which tokens there are, and waits for Apple's response.
    @Test func tokenKeptWhileOthersAreTakenBackIsTakenBackToo() async throws {
        let fixture = try DeletionFixture()
        Self.respond(fixture, .text(""))
        let session = try await Self.withTokens(fixture)
        let id = try await fixture.delete(session).object.text("id")
        let gate = Mailbox<Void>("Apple responds")
        fixture.sides.hold(DeletionFixture.appleRevoke, until: gate)
        async let work: Void = fixture.deletions.work()
        await fixture.sides.requested.wait { $0.contains(DeletionFixture.appleRevoke) }
        let late = try Self.given("late", client: SignedByProviders.apps[1])
        await fixture.keeper.keep(late, of: AccountFixture.apple(), forSubject: session.subject, at: fixture.now)
        gate.put(())
        await work
        gate.put(())
        await fixture.deletions.work()
        #expect(try await fixture.receipt(id).states["apple"] == "done")
        let forms = try fixture.sides.forms(to: DeletionFixture.appleRevoke)
        #expect(forms.map { $0["token"] } == ["apple-token", "late"])
        #expect(try await fixture.grants(session.subject).isEmpty)
    }

    // MARK: Codes of apps

    private static func exchange(_ fixture: DeletionFixture, code: String = "code-1") async -> EndpointResult {
        await fixture.exchange.respond(
            to: EndpointRequest(
                endpoint: .appleExchange,
                method: "POST",
                authority: "chat.example",
                fields: EndpointRequest.Fields(contentType: "application/json"),
                body: JSONWriter.bytes(
                    of: ["identity_token": "apple-1", "authorizationCode": .string(code)] as JSONObject
                ),
                now: fixture.now
            )
        )
    }

    private static func idToken(_ subject: String) throws -> String {
        try SignedByProviders.apple(SignedByProviders.appleClaims(["sub": .string(subject), "aud": .string(app)]))
    }

    @Test func codeOfAnAppIsRedeemedAndItsTokenKept() async throws {
        let fixture = try DeletionFixture()
        fixture.checks.issueApple("apple-1", clientID: Self.app)
        let response: JSONObject = ["id_token": .string(try Self.idToken("001.apple")), "refresh_token": "r-1"]
        fixture.sides.respond(.json(response), at: DeletionFixture.appleToken)
        let subject = try await Self.exchange(fixture).object["user"]?.object?.text("sub")
        await fixture.keeper.finish()
        let form = try #require(try fixture.sides.forms(to: DeletionFixture.appleToken).first)
        #expect(form["code"] == "code-1")
        #expect(form["client_id"] == Self.app)
        #expect(form["redirect_uri"] == nil)
        #expect(try await fixture.grants(try #require(subject)).map(\.given) == [try Self.given("r-1")])
    }

    /// Somebody signs in, and deletes the account at once.
    @Test func deletionWaitsForACodeThatIsBeingRedeemed() async throws {
        let fixture = try DeletionFixture()
        fixture.checks.issueApple("apple-1", clientID: Self.app)
        let response: JSONObject = ["id_token": .string(try Self.idToken("001.apple")), "refresh_token": "r-1"]
        fixture.sides.respond(.json(response), at: DeletionFixture.appleToken)
        let waited = Mailbox<Void>("the deletion waits")
        fixture.sides.hold(DeletionFixture.appleToken, until: waited)
        let keeper = fixture.keeper
        fixture.sides.whilePaused {
            waited.put(())
            await keeper.finish()
        }
        let subject = try #require(try await Self.exchange(fixture).object["user"]?.object?.text("sub"))
        let session = try await fixture.signIn(AccountFixture.apple("001.apple"))
        #expect(session.subject == subject)
        #expect(try await fixture.delete(session).response.status == 202)
        #expect(try await fixture.grants(subject).map(\.given) == [try Self.given("r-1")])
    }

    /// It would be taken back with this account.
    @Test func codeOfAnotherPersonIsNotKept() async throws {
        let fixture = try DeletionFixture()
        fixture.checks.issueApple("apple-1", clientID: Self.app)
        let response: JSONObject = ["id_token": .string(try Self.idToken("002.other")), "refresh_token": "r-1"]
        fixture.sides.respond(.json(response), at: DeletionFixture.appleToken)
        let subject = try await Self.exchange(fixture).object["user"]?.object?.text("sub")
        await fixture.keeper.finish()
        #expect(try await fixture.grants(try #require(subject)).isEmpty)
    }

    @Test func signInSucceedsWhileAppleIsDownAndTheCodeIsTriedAFewTimes() async throws {
        let fixture = try DeletionFixture()
        fixture.checks.issueApple("apple-1", clientID: Self.app)
        fixture.sides.respond(.failure(.timeout), at: DeletionFixture.appleToken)
        #expect(try await Self.exchange(fixture).response.status == 200)
        await fixture.keeper.finish()
        #expect(try fixture.sides.forms(to: DeletionFixture.appleToken).count == 5)
        #expect(fixture.log.lines.contains { $0.contains("an app's authorization code gives no token") })
    }

    // MARK: Lists

    @Test func listKeepsOneTokenOfAClientAndTheLatestClients() throws {
        var list = ProviderGrantList()
        for index in 0..<20 {
            let given = try Self.given("t-\(index)", client: "c-\(index % 10)")
            list.add(ProviderGrant(provider: .apple, tenant: "shop", login: "a", given: given, at: 0))
        }
        #expect(list.grants.count == 10)
        #expect(list.grants.last?.given.token == "t-19")
        for index in 0..<20 {
            let given = try Self.given("u-\(index)", client: "d-\(index)")
            list.add(ProviderGrant(provider: .apple, tenant: "shop", login: "a", given: given, at: 0))
        }
        #expect(list.grants.count == ProviderGrantList.most)
        #expect(list.grants.first?.given.token == "u-4")
        #expect(ProviderGrantList(json: list.json) == list)
        for length in 0..<list.json.count { #expect(ProviderGrantList(json: Array(list.json.prefix(length))) == nil) }
    }

    /// Somebody has two accounts at Google, each with a token of the same client.
    @Test func listKeepsATokenOfEachLogin() throws {
        var list = ProviderGrantList()
        for (login, token) in [(nil, "old"), ("a", "a-1"), ("b", "b-1"), ("a", "a-2")] as [(String?, String)] {
            list.add(
                ProviderGrant(provider: .google, tenant: "shop", login: login, given: try Self.given(token), at: 0)
            )
        }
        #expect(list.grants.map(\.given.token) == ["b-1", "a-2"])
        #expect(ProviderGrantList(json: list.json) == list)
    }

    @Test(arguments: [nil, "", "with space", String(repeating: "x", count: 2049)])
    func tokenThatCannotBeSentIsNotKept(_ token: String?) {
        #expect(GivenToken(clientID: "a", token: token) == nil)
    }

    @Test func tokensAreNotPrinted() throws {
        #expect(!"\(try Self.given("secret"))".contains("secret"))
        var text = ""
        dump(try Self.given("secret"), to: &text)
        #expect(!text.contains("secret"))
    }
}
