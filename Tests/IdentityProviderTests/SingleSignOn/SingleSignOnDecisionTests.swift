import Testing
import Time
import Verification

@testable import IdentityProvider

/// Which authorization requests a session at the issuer is enough for.
struct SingleSignOnDecisionTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var parameters: String
        var hint = SubjectHint.none
        /// Nil: no session. Otherwise when and how the subject proved who they are.
        var session: (age: Double, isProven: Bool, methods: [String])? = (100, true, [])
        var isReturnSafe = true
        var offersPasskeys = false
        var expected: SingleSignOnDecision

        init(
            _ description: String,
            _ parameters: String,
            hint: SubjectHint = .none,
            session: (age: Double, isProven: Bool, methods: [String])? = (100, true, []),
            isReturnSafe: Bool = true,
            offersPasskeys: Bool = false,
            _ expected: SingleSignOnDecision
        ) {
            testDescription = description
            self.parameters = parameters
            self.hint = hint
            self.session = session
            self.isReturnSafe = isReturnSafe
            self.offersPasskeys = offersPasskeys
            self.expected = expected
        }
    }

    private static let now: UnixTime = 1_800_000_000
    private static let passkey = ["hwk", "user", "mfa"]

    static let cases: [Case] = [
        Case("a session is enough", "", .proceed),
        Case("without a session", "", session: nil, .signIn(isAnew: false)),
        Case("an app's scheme needs a button", "", isReturnSafe: false, .offer),
        Case("none within a session", "prompt=none", .proceed),
        Case("none without a session", "prompt=none", session: nil, .refuse(.loginRequired)),
        Case("none with an app's scheme", "prompt=none", isReturnSafe: false, .refuse(.interactionRequired)),
        Case("login", "prompt=login", .signIn(isAnew: true)),
        Case("login without a session", "prompt=login", session: nil, .signIn(isAnew: true)),
        Case("consent is not asked for", "prompt=consent", .proceed),
        Case("select_account shows who it is", "prompt=select_account", .offer),
        Case("login goes before select_account", "prompt=select_account login", .signIn(isAnew: true)),
        Case("an unknown prompt is ignored", "prompt=create", .proceed),
        Case("young enough", "max_age=100", .proceed),
        Case("too old", "max_age=99", .signIn(isAnew: true)),
        Case("too old, silently", "max_age=99&prompt=none", .refuse(.loginRequired)),
        Case("an age of nothing", "max_age=0", .signIn(isAnew: true)),
        Case("an age without a session", "max_age=10", session: nil, .signIn(isAnew: true)),
        Case("an age that nobody has proved", "max_age=1000", session: (1, false, []), .signIn(isAnew: true)),
        Case("the same subject", "", hint: .subject("alice"), .proceed),
        Case("another subject", "", hint: .subject("bob"), .signIn(isAnew: true)),
        Case("another subject, silently", "prompt=none", hint: .subject("bob"), .refuse(.loginRequired)),
        Case("a hint that cannot be read", "", hint: .unreadable, .signIn(isAnew: false)),
        Case("one that cannot be read, silently", "prompt=none", hint: .unreadable, .refuse(.loginRequired)),
        Case("a passkey is wanted", "acr_values=x%20phr", offersPasskeys: true, .signIn(isAnew: false)),
        Case("a passkey was used", "acr_values=phr", session: (1, true, passkey), offersPasskeys: true, .proceed),
        Case("a passkey is wanted where there are none", "acr_values=phr", .proceed),
        Case("a passkey is wanted silently", "acr_values=phr&prompt=none", offersPasskeys: true, .proceed),
    ]

    @Test(arguments: cases)
    func requestIsDecided(_ test: Case) throws {
        let parameters = try AuthenticationParameters(FormFields(Array(test.parameters.utf8)))
        let session = test.session.map { age, isProven, methods in
            SingleSignOnSession(
                id: "id",
                group: "id",
                subject: "alice",
                way: SignInWay(name: "google", methods: methods),
                identity: nil,
                startedAt: Self.now + -age,
                authenticatedAt: Self.now + -age,
                isProven: isProven,
                expiresAt: Self.now + 60
            )
        }
        let decision = SingleSignOnDecision(
            parameters,
            hint: test.hint,
            session: session,
            isReturnSafe: test.isReturnSafe,
            offersPasskeys: test.offersPasskeys,
            at: Self.now
        )
        #expect(decision == test.expected)
    }

    @Test(arguments: ["prompt=none%20login", "max_age=-1", "max_age=1.5", "max_age=soon", "max_age=99999999999"])
    func malformedParametersAreRefused(_ text: String) throws {
        let fields = try FormFields(Array(text.utf8))
        #expect { try AuthenticationParameters(fields) } throws: {
            ($0 as? AuthorizationError)?.code == .invalidRequest
        }
    }

    @Test func localesGoBeforeWhatTheBrowserPrefers() throws {
        let german = try AuthenticationParameters(FormFields(Array("ui_locales=de-AT%20x;q=2%20fr".utf8)))
        #expect(german.acceptedLanguages(before: "en;q=0.5") == "de-AT, fr, en;q=0.5")
        #expect(try AuthenticationParameters(FormFields()).acceptedLanguages(before: "es") == "es")
    }

    @Test func demandHoldsProviderToSubjectAndTime() {
        var demand = SignInDemand(isAnew: true, subject: "alice", notBefore: Self.now)
        func problem(_ subject: String, _ time: UnixTime?, isProven: Bool = true) -> AuthorizationError? {
            demand.problem(subject: subject, signedInAt: time, isProven: isProven)
        }
        #expect(problem("alice", nil) == nil)
        #expect(problem("alice", Self.now + -60) == nil)
        #expect(problem("alice", Self.now + -61) == .loginRequired)
        #expect(problem("bob", Self.now) == .loginRequired)
        // A provider that was not told to ask, or takes no such request.
        #expect(problem("alice", nil, isProven: false) == .notAskedAnew)
        // Where the client wants no proof, the provider is only to ask whose account it is.
        demand = SignInDemand(isAnew: true, subject: "alice")
        #expect(problem("alice", 1, isProven: false) == nil)
        demand = SignInDemand()
        #expect(problem("bob", 1, isProven: false) == nil)
    }

    @Test(arguments: ["prompt=login", "max_age=100"])
    func demandForProofHoldsForEveryAccountOfThePage(_ text: String) throws {
        let parameters = try AuthenticationParameters(FormFields(Array(text.utf8)))
        // The page also offers the session at the issuer.
        let demand = SignInDemand(parameters, hint: .none, isAnew: false, at: Self.now)
        #expect(demand.isAnew)
        #expect(demand.maxAge == (text == "max_age=100" ? 100 : nil))
    }

    @Test func recordIsReadAsItWasWritten() throws {
        let identity = ProviderIdentity(
            provider: .google,
            subject: "g-1",
            email: "a@b.example",
            isEmailVerified: true,
            groups: ["staff"]
        )
        let session = SingleSignOnSession(
            id: "id",
            group: "first",
            subject: "alice",
            way: SignInWay(name: "google", methods: [], claims: ["plan": "pro"], signedInAt: 1_799_999_000),
            identity: identity,
            startedAt: Self.now,
            authenticatedAt: 1_799_999_000,
            isProven: true,
            expiresAt: Self.now + 60
        )
        #expect(SingleSignOnSession(json: session.json, id: "id") == session)
        for length in 0..<session.json.count {
            #expect(SingleSignOnSession(json: Array(session.json.prefix(length)), id: "id") == nil)
        }
    }

    @Test func recordOfPasskeyIsReadAlsoFromBeforeItsCredentialWasKept() throws {
        let old = """
            {"v":1,"sub":"alice","way":"passkey","started":1,"auth_time":1,"proven":true,"expires":9,"amr":["hwk"]}
            """
        let read = try #require(SingleSignOnSession(json: Array(old.utf8), id: "id"))
        #expect(read.group == "id" && read.way.passkey == nil)
        let session = SingleSignOnSession(
            id: "id",
            group: "id",
            subject: "alice",
            way: SignInWay(name: "passkey", methods: Self.passkey, passkey: [1, 2, 255]),
            identity: nil,
            startedAt: Self.now,
            authenticatedAt: Self.now,
            isProven: true,
            expiresAt: Self.now + 60
        )
        #expect(SingleSignOnSession(json: session.json, id: "id") == session)
        #expect(!String(decoding: session.json, as: UTF8.self).contains("group"))
    }

    @Test func accountStillHasWhatTheSessionWasBegunWith() throws {
        func session(_ way: SignInWay, _ identity: ProviderIdentity? = nil) -> SingleSignOnSession {
            SingleSignOnSession(
                id: "id",
                group: "id",
                subject: "alice",
                way: way,
                identity: identity,
                startedAt: 1,
                authenticatedAt: 1,
                isProven: true,
                expiresAt: 9
            )
        }
        var account = Account(subject: "alice", createdAt: 1)
        account.identities = [Account.Identity(provider: .google, subject: "g-2")]
        let google = SignInWay(name: "google", methods: [])
        #expect(account.isEntered(by: session(google, ProviderIdentity(provider: .google, subject: "g-2"))))
        // Another login of the same provider.
        #expect(!account.isEntered(by: session(google, ProviderIdentity(provider: .google, subject: "g-1"))))
        #expect(!account.isEntered(by: session(SignInWay(name: "passkey", methods: [], passkey: [1]))))
    }
}
