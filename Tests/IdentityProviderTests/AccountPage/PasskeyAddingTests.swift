import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Passkeys on the account page.
struct PasskeyAddingTests {
    @Test func optionsAskForPasskeyThatSignsInAlone() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        let begun = try await fixture.post(.beginPasskey, session).object
        let options = try #require(begun["options"]?.object)
        #expect(options["rp"] == ["id": "shop.test", "name": "Shop"])
        let algorithms = options["pubKeyCredParams"]?.array?.compactMap { $0.object?["alg"]?.double }
        #expect(algorithms == [-7, -8, -257])
        #expect(
            options["authenticatorSelection"] == [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ]
        )
        #expect(options["attestation"] == "none")
        let user = try #require(options["user"]?.object)
        #expect(user["name"] == "alice@example.org" && user["displayName"] == "Alice")
        // Who sees an authenticator learns nothing of the account (WebAuthn Level 2 section 14.6.1).
        #expect(user["id"] == .bytes(AccountPasskey.userHandle(ofSubject: session.subject)))
        #expect(try Base64URL.decode(options.text("challenge"))?.count == 32)
    }

    @Test func passkeyIsAddedRenamedAndRemoved() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        var authenticator = try PretendAuthenticator()
        let response = try await fixture.add(&authenticator, session, name: "  Blue\u{1} key ")
        #expect(response.status == 200)
        #expect(try EndpointResult.response(response).object == ["location": "/account?notice=added"])
        let passkey = try #require(try await fixture.account(session).passkeys.first)
        #expect(passkey.name == "Blue key" && passkey.credential.id == authenticator.id)
        #expect(PageReading(try await fixture.page(session)).text.contains("Blue key"))
        // A second one on the same authenticator is not asked for.
        let known = try await fixture.post(.beginPasskey, session).object["options"]?.object?["excludeCredentials"]
        #expect(known?.array?.count == 1)

        let id = [("passkey", Base64URL.encode(authenticator.id))]
        #expect(try await fixture.notice(.renamePasskey, session, id + [("name", "Red")]) == "renamed")
        #expect(try await fixture.account(session).passkeys.map(\.name) == ["Red"])
        #expect(try await fixture.notice(.removePasskey, session, id) == "removed")
        #expect(try await fixture.account(session).passkeys.isEmpty)
        #expect(try await fixture.notice(.removePasskey, session, id) == "gone")
        #expect(
            fixture.counts.snapshot().passkeys.map { "\($0.key.event) \($0.value)" }.sorted() == [
                "added 1", "removed 1",
            ]
        )
    }

    @Test func passkeyNeedsRecentSignIn() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        var authenticator = try PretendAuthenticator()
        let begun = try await fixture.post(.beginPasskey, session).object
        let challenge = try #require(try begun["options"]?.object?.text("challenge"))
        authenticator.challenge = try #require(Base64URL.decode(challenge))
        let fields = AccountPageFixture.fields(authenticator, name: "Late")
        let later = AccountPageFixture.start + IssuerSession.freshness
        #expect(try await fixture.post(.beginPasskey, session, at: later).response.status == 403)
        #expect(try await fixture.post(.addPasskey, session, fields, at: later).response.status == 403)
        #expect(try await fixture.account(session).passkeys.isEmpty)
        #expect(
            PageReading(try await fixture.page(session, at: later)).links == [
                "/login?after=https%3A%2F%2Fshop.test%2Faccount"
            ]
        )
    }

    @Test func challengeIsUsedOnceAndByItsSessionAlone() async throws {
        let fixture = try AccountPageFixture()
        let (session, other) = (try await fixture.signIn(), try await fixture.signIn())
        var authenticator = try PretendAuthenticator()
        let begun = try await fixture.post(.beginPasskey, session).object
        let challenge = try #require(try begun["options"]?.object?.text("challenge"))
        authenticator.challenge = try #require(Base64URL.decode(challenge))
        let fields = AccountPageFixture.fields(authenticator, name: "Key")
        #expect(try await fixture.post(.addPasskey, other, fields).response.status == 400)
        #expect(try await fixture.post(.addPasskey, session, fields).response.status == 200)
        authenticator.id = [1, 2, 3, 4]
        let again = AccountPageFixture.fields(authenticator, name: "Key")
        #expect(try await fixture.post(.addPasskey, session, again).response.status == 400)
        // One that was never given out.
        authenticator.challenge = PretendAuthenticator.challenge
        let invented = AccountPageFixture.fields(authenticator, name: "Key")
        #expect(try await fixture.post(.addPasskey, session, invented).response.status == 400)
        #expect(try await fixture.account(session).passkeys.count == 1)
    }

    @Test func responsesOfOtherSitesAndUnverifiedOwnersAreRefused() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        var cases = [try PretendAuthenticator(), try PretendAuthenticator(), try PretendAuthenticator()]
        cases[0].origin = "https://evil.test"
        cases[1].relyingParty = "evil.test"
        cases[2].flags = [.userPresent]
        for var authenticator in cases {
            #expect(try await fixture.add(&authenticator, session).status == 400)
        }
        #expect(try await fixture.account(session).passkeys.isEmpty)
        #expect(fixture.counts.snapshot().passkeys.values.reduce(0, +) == 3)
    }

    @Test func passkeyOfSomebodyElseIsRefused() async throws {
        let fixture = try AccountPageFixture()
        let alice = try await fixture.signIn()
        let mallory = try await fixture.signIn(AccountFixture.google("mallory", email: nil))
        var (hers, his) = (try PretendAuthenticator(), try PretendAuthenticator())
        #expect(try await fixture.add(&hers, alice).status == 200)
        #expect(his.id == hers.id)
        #expect(try await fixture.add(&his, mallory).status == 400)
        #expect(try await fixture.account(mallory).passkeys.isEmpty)
    }

    @Test func accountHasBoundedNumberOfPasskeys() async throws {
        let fixture = try AccountPageFixture()
        let session = try await fixture.signIn()
        var authenticator = try PretendAuthenticator(.edDSA)
        for index in 0..<AccountPasskey.most {
            authenticator.id = [1, 2, 3, UInt8(index)]
            #expect(try await fixture.add(&authenticator, session).status == 200)
        }
        #expect(try await fixture.post(.beginPasskey, session).response.status == 409)
        let passkey = try #require(try await fixture.account(session).passkeys.first)
        let more = AccountPasskey(
            credential: PasskeyCredential(
                id: [9],
                publicKey: passkey.credential.publicKey,
                signatureCount: 0,
                isBackupEligible: false,
                isBackedUp: false,
                model: passkey.credential.model
            ),
            name: "x",
            addedAt: AccountPageFixture.start
        )
        await #expect(throws: AccountChangeProblem.tooManyPasskeys) {
            try await fixture.accounts.add(more, toSubject: session.subject, at: AccountPageFixture.start)
        }
    }

    @Test func pageOfAnotherHostOffersNone() async throws {
        let fixture = try AccountPageFixture(relyingParty: "other.test")
        let session = try await fixture.signIn()
        #expect(!PageReading(try await fixture.page(session)).text.contains("Passkeys"))
        #expect(try await fixture.post(.beginPasskey, session).response.status == 400)
    }

    @Test func scriptIsServedAsOne() async throws {
        let fixture = try AccountPageFixture()
        let request = EndpointRequest(endpoint: .passkeyScript, method: "GET", authority: "shop.test", now: 0)
        let response = try await fixture.respond(to: request).response
        #expect(response.value(of: "Content-Type") == "text/javascript; charset=utf-8")
        #expect(response.value(of: "X-Content-Type-Options") == "nosniff")
    }
}
