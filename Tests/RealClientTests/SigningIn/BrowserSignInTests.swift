import Testing
import Verification

extension RealClients {
    /// Whole sign-ins in Chromium, with its rules for cookies, redirects and forms of other sites.
    @Suite struct BrowserSignInTests {
        struct Way: Sendable, CustomTestStringConvertible {
            var provider: String
            var isSecured: Bool
            var script: String

            var testDescription: String { "\(provider), \(isSecured ? "https" : "http"), script \(script)" }
        }

        @Test(arguments: [
            Way(provider: "Apple", isSecured: true, script: "on"),
            Way(provider: "Google", isSecured: true, script: "off"),
            Way(provider: "Apple", isSecured: false, script: "off"),
        ])
        func signInWorksByKeyboard(_ way: Way) async throws {
            try await withSignInFixture { fixture async throws in
                let authorize = fixture.authorize(secured: way.isSecured)
                let options = ["provider": way.provider, "script": way.script]
                let result = try await Person.plays("keyboard", in: fixture, at: authorize, options)
                #expect(result["heading"] == "Sign in to Clan Boards")
                // The only message of the browser is that one of the protections does not apply over http.
                let complaints = try #require(result["complaints"]?.array).compactMap(\.string)
                #expect(complaints.filter { !$0.hasPrefix("The Cross-Origin-Opener-Policy header") } == [])
                #expect(complaints.isEmpty == way.isSecured)
                let order = try #require(result["order"]?.array).compactMap(\.object)
                #expect(
                    order.compactMap { $0["text"]?.string?.split(separator: " ").last } == [
                        "Apple", "Google", "Cancel",
                    ]
                )
                #expect(order.allSatisfy { $0["visible"] == true })
                // Apple's response is a form of another site, which is sent without cookies: the browser has to send it
                // again.
                let callbacks = try #require(result["callbacks"]?.array)
                #expect(callbacks.count == (way.provider == "Apple" ? 2 : 1))
                #expect(callbacks.last == (way.provider == "Apple" ? ["state"] : ["state", "code", "iss", "scope"]))
                // The cookie that ties the sign-in to this browser is gone with it. What is left is the browser's
                // session at the issuer.
                for (moment, names) in [("binding", ["browser", "sign-in"]), ("left", ["browser", "single-sign-on"])] {
                    let cookies = try #require(result[moment]?.array).compactMap(\.object)
                    #expect(cookies.count == 2)
                    for name in names {
                        let prefix = "\(way.isSecured ? "__Host-" : "")gatehouse-\(name)-"
                        let cookie = cookies.first { $0["name"]?.string?.hasPrefix(prefix) == true }
                        #expect(cookie?["httpOnly"] == true && cookie?["sameSite"] == "Lax", "\(name)")
                        #expect(cookie?["secure"] == .bool(way.isSecured), "\(name)")
                    }
                }
                #expect(result["end"]?.string == "\(fixture.app)/back")
                #expect(result["state"] == "of-the-app")
                #expect(result["iss"]?.string == SignInFixture.issuer)
                #expect(result["code"]?.string?.isEmpty == false)
                #expect(result["error"] == nil)
            }
        }

        @Test func concurrentSignInsInOneBrowserSucceed() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("two_windows", in: fixture)
                #expect(result["ended"] == [true, true])
            }
        }

        @Test(arguments: ["Apple", "Google"])
        func cancelledSignInReturnsWithoutCode(_ provider: String) async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("cancel", in: fixture, ["provider": provider])
                for tab in ["here", "there"] {
                    let response = try #require(result[tab]?.object)
                    #expect(response["error"] == "access_denied", "\(tab)")
                    #expect(response["state"] == "of-the-app")
                    #expect(response["iss"]?.string == SignInFixture.issuer)
                    #expect(response["code"] == nil)
                }
            }
        }

        @Test(arguments: ["Apple", "Google"])
        func signInCannotBeFinishedInAnotherBrowser(_ provider: String) async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("other_browser", in: fixture, ["provider": provider])
                #expect(result["heading"] == "This sign-in began elsewhere")
                #expect(result["status"] == 400)
                #expect(result["cookies"] == [])
                #expect(result["url"]?.string == "\(fixture.clans())/oauth2/callback/\(provider.lowercased())")
                #expect(result["ended_by_its_own"] == true)
            }
        }

        /// The result comes by a form that posts itself, or by a button. The sign-out begins at a form of the app's own
        /// site, with which the browser sends no cookie, and tells the app in a frame.
        @Test(arguments: ["on", "off"])
        func resultIsPostedAndFrameTellsOfTheSignOut(_ script: String) async throws {
            try await withSignInFixture { fixture async throws in
                let authorize = fixture.authorize(client: "clans-server", secured: false)
                let options = ["secret": SignInFixture.clientSecret, "script": script]
                let result = try await Person.plays("posted", in: fixture, at: authorize, options)
                let fields = try #require(result["fields"]?.object)
                #expect(Set(fields.members.map(\.name)) == ["code", "state", "iss"])
                #expect(fields["state"] == "of-the-app")
                let question = try #require(result["question"]?.object)
                #expect(question["heading"] == "Sign out")
                #expect(question["url"]?.string == "\(fixture.clans(secured: false))/oauth2/logout")
                #expect(result["goodbye"] == "You are signed out")
                let parts = try #require(result["id_token"]?.string).split(separator: ".").map(String.init)
                let claims = try JSONParser.parse(try #require(Base64URL.decode(parts[1]))).object
                #expect(
                    result["told"] == [["iss": .string(SignInFixture.issuer), "sid": try #require(claims?["sid"])]]
                )
                // The next sign-in is asked for.
                let after = try #require(result["after"]?.string)
                #expect(after.contains("Sign in with Google") && !after.contains("Continue as"), "\(after)")
                let complaints = try #require(result["complaints"]?.array).compactMap(\.string)
                #expect(complaints.filter { !$0.hasPrefix("The Cross-Origin-Opener-Policy header") } == [])
            }
        }

        @Test func webAppSignsInWithHttpOnlyCookies() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("web_login", in: fixture)
                #expect(result["end"]?.string == "\(fixture.app)/welcome")
                let cookies = try #require(result["cookies"]?.object)
                #expect(Set(cookies.members.map(\.name)) == ["ce_access_token", "ce_refresh_token"])
                for cookie in cookies.members.compactMap(\.value.object) {
                    #expect(cookie["httpOnly"] == true)
                    #expect(cookie["secure"] == true)
                    #expect(cookie["sameSite"] == "Lax")
                    #expect(cookie["domain"] == "chat.localtest")
                    #expect(cookie["path"] == "/")
                    #expect(cookie["session"] == false)
                }
                #expect(result["readable"] == "")
                let seen = try #require(result["seen"]?.object)
                let me = try #require(result["me"]?.object)
                #expect(me["status"] == 200)
                let subject = try #require(seen.received("x-user-id").first)
                #expect(!subject.isEmpty)
                #expect(JSONWriter.text(of: try #require(me["body"])).contains(subject))
                #expect(result["still"] == 200)
                #expect(result["out"] == 200)
                #expect(result["left"] == [])
                #expect(result["after"] == 401)
            }
        }
    }
}
