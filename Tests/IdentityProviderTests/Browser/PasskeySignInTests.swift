import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Signing in with a passkey instead of a provider.
struct PasskeySignInTests {
    private static let start = AccountPageFixture.start

    /// A page that begins a sign-in, in a browser.
    private struct Page {
        let fixture: AccountPageFixture
        let cookies: [String]
        let state: String
        var challenge: [UInt8]

        init(_ fixture: AccountPageFixture, _ request: EndpointRequest) async throws {
            self.fixture = fixture
            let response = try await fixture.respond(to: request).response
            let place = try #require(PageReading(response).all("div").first { $0.attributes["id"] == "passkey" })
            #expect(place.attributes["data-url"] == "/account/passkeys")
            #expect(place.attributes["data-rp"] == "shop.test")
            cookies = response.cookies.map { String($0.prefix { $0 != ";" }) }
            state = try #require(place.attributes["data-state"])
            challenge = try #require(place.attributes["data-challenge"].flatMap { Base64URL.decode($0) })
        }

        init(_ fixture: AccountPageFixture) async throws {
            let login = EndpointRequest(
                endpoint: .webLogin,
                method: "GET",
                authority: AccountPageFixture.host,
                now: PasskeySignInTests.start
            )
            try await self.init(fixture, login)
        }

        /// Posts what the authenticator says.
        func sign(
            _ authenticator: PretendAuthenticator,
            as subject: String,
            cookies: [String]? = nil,
            at now: UnixTime = PasskeySignInTests.start
        ) async throws -> EndpointResponse {
            var authenticator = authenticator
            if authenticator.challenge == PretendAuthenticator.challenge { authenticator.challenge = challenge }
            let response = authenticator.asserted()
            let fields = [
                ("state", state), ("id", Base64URL.encode(authenticator.id)),
                ("client_data", Base64URL.encode(response.clientData)),
                ("authenticator_data", Base64URL.encode(response.authenticatorData)),
                ("signature", Base64URL.encode(response.signature)),
                ("user_handle", Base64URL.encode(AccountPasskey.userHandle(ofSubject: subject))),
            ]
            let request = EndpointRequest(
                endpoint: .passkeySignIn,
                method: "POST",
                authority: AccountPageFixture.host,
                fields: EndpointRequest.Fields(
                    contentType: "application/x-www-form-urlencoded",
                    cookies: cookies ?? self.cookies,
                    origin: PretendAuthenticator.origin,
                    userAgent: "Telephone 1"
                ),
                body: Array(FormText.text(of: fields).utf8),
                clientAddress: [192, 0, 2, 9],
                now: now
            )
            return try await fixture.respond(to: request).response
        }
    }

    /// Alice's passkey.
    private static func passkey(
        _ fixture: AccountPageFixture,
        _ algorithm: SignatureAlgorithm = .es256
    ) async throws -> (PretendAuthenticator, subject: String) {
        let session = try await fixture.signIn()
        var authenticator = try PretendAuthenticator(algorithm)
        #expect(try await fixture.add(&authenticator, session).status == 200)
        authenticator.challenge = PretendAuthenticator.challenge
        authenticator.count = 1
        return (authenticator, session.subject)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .edDSA, .rs256])
    func passkeyOpensSessionOfItsOwner(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture, algorithm)
        let page = try await Page(fixture)
        let response = try await page.sign(authenticator, as: subject)
        #expect(response.status == 200 && response.subject == subject)
        #expect(try EndpointResult.response(response).object == ["location": "https://chat.example/home"])
        #expect(response.cookies.map { $0.prefix { $0 != "=" } }.prefix(2) == ["ce_access_token", "ce_refresh_token"])
        let sessions = try await fixture.sessions.sessions(ofSubject: subject, at: Self.start)
        let session = try #require(sessions.first { $0.provider == "passkey" })
        #expect(session.claims["amr"] == ["hwk", "user", "mfa"])
        #expect(session.claims["email"] == "alice@example.org")
        #expect(session.device == "Telephone 1" && session.address == "192.0.2.9")
        let passkey = try #require(try await fixture.accounts.account(ofSubject: subject)?.passkeys.first)
        #expect(passkey.credential.signatureCount == 1 && passkey.usedAt == Self.start)
        #expect(fixture.counts.snapshot().passkeys[.init(tenant: "chat", event: .signedIn)] == 1)
    }

    @Test func hostedPageGivesCodeForPasskey() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        let parameters = [
            ("client_id", "partner"), ("redirect_uri", "shop://signed-in"), ("response_type", "code"),
            ("scope", "openid"), ("state", "s"), ("code_challenge", BrowserSignInFixture.challenge),
            ("code_challenge_method", "S256"),
        ]
        let authorize = EndpointRequest(
            endpoint: .authorize,
            method: "GET",
            query: FormText.text(of: parameters),
            authority: AccountPageFixture.host,
            now: Self.start
        )
        let page = try await Page(fixture, authorize)
        let response = try await page.sign(authenticator, as: subject)
        let location = try EndpointResult.response(response).object.text("location")
        #expect(location.hasPrefix("shop://signed-in?code="))
        let fields = try FormFields(Array(location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
        let codes = AuthorizationCodes(store: fixture.store, tenant: "chat")
        guard case .fresh(let grant, _) = try await codes.find(try #require(fields["code"]), at: Self.start) else {
            throw Unexpected(what: "no code")
        }
        #expect(grant.subject == subject && grant.provider == "passkey" && grant.methods == ["hwk", "user", "mfa"])
    }

    private static func authorize(
        _ cookies: [String] = [],
        hint: String? = nil
    ) -> EndpointRequest {
        let parameters = [
            ("client_id", "partner"), ("redirect_uri", "shop://signed-in"), ("response_type", "code"),
            ("scope", "openid"), ("state", "s"), ("code_challenge", BrowserSignInFixture.challenge),
            ("code_challenge_method", "S256"),
        ]
        return EndpointRequest(
            endpoint: .authorize,
            method: "GET",
            query: FormText.text(of: parameters + (hint.map { [("id_token_hint", $0)] } ?? [])),
            authority: AccountPageFixture.host,
            fields: EndpointRequest.Fields(cookies: cookies),
            now: start
        )
    }

    @Test func removedPasskeyEndsTheSessionsOfBrowsersAtTheIssuer() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        // Its owner keeps another.
        var other = try PretendAuthenticator()
        other.id = [4, 5, 6]
        #expect(try await fixture.add(&other, try await fixture.signIn()).status == 200)
        let signedIn = try await Page(fixture, Self.authorize()).sign(authenticator, as: subject)
        let cookies = signedIn.cookies.filter { $0.contains("single-sign-on") }.map { String($0.prefix { $0 != ";" }) }
        #expect(cookies.count == 1)
        #expect(try await fixture.respond(to: Self.authorize(cookies)).response.text.contains("Continue as"))
        _ = try await fixture.accounts.removePasskeys(authenticator.id, ofSubject: subject)
        #expect(try await !fixture.respond(to: Self.authorize(cookies)).response.text.contains("Continue as"))
    }

    @Test func passkeyOfAnotherAccountThanTheHintsLeavesThePage() async throws {
        let fixture = try AccountPageFixture()
        let (made, subject) = try await Self.passkey(fixture)
        var authenticator = made
        let bob = try await fixture.accounts.signIn(
            AccountFixture.google("bob", email: nil, name: "Bob"),
            givenName: nil,
            at: Self.start
        )
        for (name, text) in [("Bob", "The app asks for Bob."), (nil, "The app asks for another account")] {
            var opening = SessionOpening(subject: bob.subject, clientID: "partner")
            if let name { opening.claims = ["name": .string(name)] }
            let hint = try await fixture.sessions.start(opening, at: Self.start).idToken
            var page = try await Page(fixture, Self.authorize(hint: hint))
            let refused = try await page.sign(authenticator, as: subject)
            #expect(refused.status == 403 && refused.cookies.isEmpty)
            let object = try EndpointResult.response(refused).object
            #expect(try object.text("message").hasPrefix(text))
            // It goes on, with the next challenge.
            page.challenge = try #require(Base64URL.decode(try object.text("challenge")))
            authenticator.count += 1
            #expect(try await page.sign(authenticator, as: subject).status == 403)
            authenticator.count += 1
        }
    }

    @Test func syncedPasskeyIsToldFromOneInHardware() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        var authenticator = try PretendAuthenticator()
        authenticator.flags.formUnion([.backupEligible, .backedUp])
        #expect(try await fixture.add(&authenticator, session).status == 200)
        authenticator.challenge = PretendAuthenticator.challenge
        #expect(try await Page(fixture).sign(authenticator, as: session.subject).status == 200)
        let sessions = try await fixture.sessions.sessions(ofSubject: session.subject, at: Self.start)
        #expect(sessions.contains { $0.claims["amr"] == ["swk", "user", "mfa"] })
    }

    /// A response is to one challenge of one page in one browser, and not for long.
    @Test func responseIsGoodOnceAndInItsBrowser() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        let page = try await Page(fixture)
        #expect(try await page.sign(authenticator, as: subject, cookies: []).status == 400)
        let other = try await Page(fixture)
        #expect(try await page.sign(authenticator, as: subject, cookies: other.cookies).status == 400)
        #expect(try await page.sign(authenticator, as: subject).status == 200)
        #expect(try await page.sign(authenticator, as: subject).status == 400)
        // Nor is it to the next page's.
        var replayed = authenticator
        replayed.challenge = page.challenge
        #expect(try await Page(fixture).sign(replayed, as: subject).status == 401)
        let late = Self.start + SignInTransaction.lifetime
        #expect(try await other.sign(authenticator, as: subject, at: late).status == 400)
    }

    @Test func refusedResponseUsesChallengeUpAndGivesTheNext() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        var page = try await Page(fixture)
        var unverified = authenticator
        unverified.flags = [.userPresent]
        let refused = try await page.sign(unverified, as: subject)
        #expect(refused.status == 401 && refused.cookies.isEmpty)
        // The first challenge is over.
        #expect(try await page.sign(authenticator, as: subject).status == 401)
        let again = try await page.sign(authenticator, as: subject)
        let next = try EndpointResult.response(again).object.text("challenge")
        page.challenge = try #require(Base64URL.decode(next))
        #expect(try await page.sign(authenticator, as: subject).status == 200)
    }

    @Test func responseOfOthersIsRefused() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        let mallory = try await fixture.signIn(AccountFixture.google("mallory", email: nil))
        var cases = [(authenticator, mallory.subject)]
        var unknown = authenticator
        unknown.id = [9, 9, 9]
        cases.append((unknown, subject))
        var forged = try PretendAuthenticator()
        forged.id = authenticator.id
        cases.append((forged, subject))
        for change in [\PretendAuthenticator.origin, \.relyingParty] {
            var foreign = authenticator
            foreign[keyPath: change] = "https://evil.test"
            cases.append((foreign, subject))
        }
        for (authenticator, subject) in cases {
            let response = try await Page(fixture).sign(authenticator, as: subject)
            #expect(response.status == 401 && response.cookies.isEmpty)
        }
        #expect(fixture.counts.snapshot().passkeys[.init(tenant: "chat", event: .refused)] == cases.count)
    }

    @Test func counterThatGoesBackIsRefusedAndLogged() async throws {
        let fixture = try AccountPageFixture()
        let (made, subject) = try await Self.passkey(fixture)
        var authenticator = made
        authenticator.count = 7
        #expect(try await Page(fixture).sign(authenticator, as: subject).status == 200)
        for count in [7, 3, 0] as [UInt32] {
            authenticator.count = count
            #expect(try await Page(fixture).sign(authenticator, as: subject).status == 401)
        }
        #expect(fixture.counts.snapshot().passkeys[.init(tenant: "chat", event: .counterWentBack)] == 3)
        let warning = fixture.log.lines.first { $0.hasPrefix("warning") && $0.contains("counter went back") }
        // Its operator needs to know which one to remove.
        #expect(warning?.contains("passkey=\(Base64URL.encode(authenticator.id))") == true)
        #expect(warning?.contains("subject=\(subject)") == true)
        authenticator.count = 8
        #expect(try await Page(fixture).sign(authenticator, as: subject).status == 200)
    }

    /// A revocation refuses what was issued before it: only the passkeys' end keeps their owner out.
    @Test func revokedSubjectSignsInAgainUntilPasskeysAreRemoved() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        let revocation = Revocation(
            tenant: "chat",
            target: .subject(subject),
            revokedAt: Self.start,
            expiresAt: Self.start + 3600,
            reason: "a copied passkey"
        )
        try await fixture.revocations.revoke([revocation])
        #expect(try await Page(fixture).sign(authenticator, as: subject, at: Self.start + 2).status == 200)
        _ = try await fixture.accounts.removePasskeys(nil, ofSubject: subject)
        var later = authenticator
        later.count = 2
        #expect(try await Page(fixture).sign(later, as: subject, at: Self.start + 4).status == 401)
    }

    @Test func removedPasskeySignsNobodyIn() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        try await fixture.accounts.removePasskey(authenticator.id, ofSubject: subject)
        #expect(try await Page(fixture).sign(authenticator, as: subject).status == 401)
    }

    @Test func providerMayStillBeChosenAfterAPasskeyFailed() async throws {
        let fixture = try AccountPageFixture()
        let (authenticator, subject) = try await Self.passkey(fixture)
        let page = try await Page(fixture)
        #expect(try await page.sign(authenticator, as: "somebody else").status == 401)
        let transactions = SignInTransactions(store: fixture.store, tenant: "chat")
        let id = try #require(SignInID(Substring(page.state)))
        let stored = try #require(try await transactions.read(id, at: Self.start))
        #expect(stored.transaction.legs[.google] != nil)
        // And whoever does leaves nothing to a passkey.
        #expect(try await transactions.consume(stored))
        #expect(try await page.sign(authenticator, as: subject).status == 400)
    }

    @Test func pageOfAnotherHostHasNoPasskeys() async throws {
        let fixture = try AccountPageFixture(relyingParty: "other.test")
        let login = EndpointRequest(endpoint: .webLogin, method: "GET", authority: "shop.test", now: Self.start)
        #expect(try await fixture.respond(to: login).response.status == 303)
    }
}
