import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Sign-ins that end in several tabs of one browser at once.
struct SeveralTabsTests {
    private static let start = IssuerFixture.start

    /// A browser's cookies.
    private struct Jar {
        private var cookies: [String: String] = [:]

        mutating func take(_ cookie: EndpointResponse.Field) {
            let pair = cookie.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let isGone = cookie.value.contains("Max-Age=0")
            cookies[String(pair[0])] = isGone ? nil : pair.dropFirst().first.map(String.init) ?? ""
        }

        var request: EndpointRequest {
            EndpointRequest(
                endpoint: .authorize,
                method: "GET",
                authority: "clans.example",
                fields: EndpointRequest.Fields(cookies: cookies.map { "\($0.key)=\($0.value)" }),
                now: start
            )
        }
    }

    private struct Setup {
        let fixture: IssuerFixture
        let singleSignOn: SingleSignOn
        /// Of a browser whose page has come.
        var jar = Jar()

        init() throws {
            fixture = try IssuerFixture()
            singleSignOn = try #require(SingleSignOn(fixture.context, counts: SignInCounts()))
            jar.take(singleSignOn.browserCookie(for: jar.request))
        }

        func signIn(
            _ account: Account = .alice,
            with jar: Jar? = nil
        ) async throws -> (group: String, cookie: EndpointResponse.Field) {
            try await singleSignOn.begin(
                account,
                SignInWay(name: "google", methods: []),
                nil,
                isProven: false,
                (jar ?? self.jar).request
            )
        }

        /// The jar with another cookie.
        func having(_ cookie: EndpointResponse.Field) -> Jar {
            var jar = jar
            jar.take(cookie)
            return jar
        }

        func isSignedIn(_ jar: Jar) async throws -> Bool { try await singleSignOn.find(jar.request) != nil }

        func account(_ subject: String) -> Account {
            var account = Account.alice
            account.subject = subject
            fixture.accounts.put(account)
            return account
        }
    }

    @Test(arguments: [false, true])
    func tabsThatEndWithTheSameCookiesAreOneGroup(_ hasSession: Bool) async throws {
        var setup = try Setup()
        var groups: Set<String> = []
        if hasSession {
            let begun = try await setup.signIn()
            groups.insert(begun.group)
            setup.jar.take(begun.cookie)
        }
        for _ in 0..<3 {
            let begun = try await setup.signIn()
            groups.insert(begun.group)
            #expect(try await setup.isSignedIn(setup.having(begun.cookie)))
        }
        #expect(groups.count == 1)
    }

    /// Of the version before, or of a browser that drops cookies.
    @Test func withoutIdentifierTheyAreTwo() async throws {
        var setup = try Setup()
        setup.jar = Jar()
        let first = try await setup.signIn()
        #expect(try await setup.signIn().group != first.group)
    }

    @Test func tabsThatEndAtTheSameMomentAreOneGroup() async throws {
        let setup = try Setup()
        let groups = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<8 { tasks.addTask { try await setup.signIn().group } }
            return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(groups.count == 1)
    }

    /// Between each two calls of the store.
    @Test(arguments: 0..<6, [false, true])
    func tabThatEndsWhileAnotherDoesJoinsIt(_ call: Int, _ hasSession: Bool) async throws {
        var setup = try Setup()
        if hasSession { setup.jar.take(try await setup.signIn().cookie) }
        let fixed = setup
        let other = Mutex<String?>(nil)
        let calls = Mutex(0)
        fixed.fixture.store.onCall { (_) async throws(StoreError) in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard number == call + 1 else { return }
            let begun = try? await fixed.signIn()
            other.withLock { $0 = begun?.group }
        }
        let begun = try await fixed.signIn()
        fixed.fixture.store.onCall(nil)
        let joined = other.withLock { $0 }
        // A sign-in makes three calls at least.
        #expect(joined == begun.group || (joined == nil && call >= 3))
        #expect(try await fixed.isSignedIn(fixed.having(begun.cookie)))
    }

    /// Tabs come back and get their responses in any order.
    @Test func whateverCookieTheBrowserKeepsItIsOfTheOneGroup() async throws {
        let setup = try Setup()
        var random = SplitMix64(seed: 41)
        for run in 0..<300 {
            let account = setup.account("alice-\(run)")
            var (jar, underWay, groups) = (setup.jar, [EndpointResponse.Field](), Set<String>())
            var left = Int.random(in: 2...6, using: &random)
            while left > 0 || !underWay.isEmpty {
                if left > 0, underWay.isEmpty || Bool.random(using: &random) {
                    left -= 1
                    let begun = try await setup.signIn(account, with: jar)
                    groups.insert(begun.group)
                    underWay.append(begun.cookie)
                } else {
                    jar.take(underWay.remove(at: Int.random(in: underWay.indices, using: &random)))
                }
            }
            #expect(groups.count == 1, "run \(run)")
            #expect(try await setup.isSignedIn(jar), "run \(run)")
        }
    }

    @Test func logoutEndsWhatBothTabsHaveBegun() async throws {
        let setup = try Setup()
        var jar = setup.jar
        var sessions: [IssuedTokens] = []
        let tabs = [try await setup.signIn(), try await setup.signIn()]
        for (tab, client) in zip(tabs, ["board", "service"]) {
            var opening = SessionOpening(subject: "alice", clientID: client)
            opening.singleSignOn = tab.group
            sessions.append(try await setup.fixture.sessions.start(opening, at: Self.start))
            jar.take(tab.cookie)
        }
        var request = jar.request
        request.endpoint = .logout
        let question = PageReading(try await setup.fixture.ask(request))
        let inputs = question.all("input").map { ($0.attributes["name"] ?? "", $0.attributes["value"] ?? "") }
        request.method = "POST"
        request.fields.contentType = "application/x-www-form-urlencoded"
        request.body = Array(FormText.text(of: inputs).utf8)
        let response = try await setup.fixture.ask(request)
        for tokens in sessions {
            #expect(try await setup.fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
        }
        for cookie in response.fields where cookie.name == "Set-Cookie" { jar.take(cookie) }
        #expect(jar.request.fields.cookies.isEmpty)
    }

    @Test func whatHasEndedIsNotJoined() async throws {
        let setup = try Setup()
        let (group, _) = try await setup.signIn()
        _ = try await setup.singleSignOn.end(group, ofSubject: "alice", at: Self.start)
        let next = try await setup.signIn()
        #expect(next.group != group)
        #expect(try await setup.isSignedIn(setup.having(next.cookie)))
        #expect(try await setup.signIn().group == next.group)
    }

    /// A cookie that stays of a session that has ended changes nothing for a tab that has begun another since.
    @Test func endedSessionDoesNotComeBetweenTabs() async throws {
        var setup = try Setup()
        let first = try await setup.signIn()
        setup.jar.take(first.cookie)
        try await setup.singleSignOn.records.groups.end(first.group)
        let second = try await setup.signIn()
        #expect(second.group != first.group)
        #expect(try await setup.signIn().group == second.group)
    }

    /// Somebody who had the browser before may know it.
    @Test func identifierLetsNobodyInAndEndsNothing() async throws {
        let setup = try Setup()
        let (group, cookie) = try await setup.signIn()
        #expect(try await !setup.isSignedIn(setup.jar))
        let stranger = try await setup.signIn(setup.account("bob"))
        #expect(stranger.group != group)
        let alice = setup.having(cookie)
        #expect(try await setup.isSignedIn(alice))
        #expect(try await setup.signIn(with: setup.jar).group == group)
        #expect(try await setup.isSignedIn(alice))
    }

    @Test func identifierStaysUnlessItIsNone() throws {
        let setup = try Setup()
        let value = try #require(setup.singleSignOn.records.browsers.value(in: setup.jar.request))
        let again = setup.having(setup.singleSignOn.browserCookie(for: setup.jar.request))
        #expect(setup.singleSignOn.records.browsers.value(in: again.request) == value)
        let name = setup.singleSignOn.records.browsers.cookieName(isSecure: setup.jar.request.isSecure)
        for text in ["", "x", Base64URL.encode([UInt8](repeating: 1, count: 31))] {
            let forged = setup.having(EndpointResponse.Field("Set-Cookie", "\(name)=\(text)"))
            #expect(setup.singleSignOn.records.browsers.value(in: forged.request) == nil)
            let renewed = setup.having(setup.singleSignOn.browserCookie(for: forged.request))
            #expect(setup.singleSignOn.records.browsers.value(in: renewed.request)?.count == 32)
        }
    }

    @Test(arguments: [WatchedStore.Call.set, .replace])
    func storeThatFailsBeginsNothing(_ call: WatchedStore.Call) async throws {
        let setup = try Setup()
        setup.fixture.store.fail([call])
        await #expect(throws: SignInFailure.self) { try await setup.signIn() }
    }
}
