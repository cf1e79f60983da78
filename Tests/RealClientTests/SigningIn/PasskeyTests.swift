import Testing
import Verification

extension RealClients {
    /// Passkeys of Chromium's virtual authenticator, and of another implementation.
    @Suite struct PasskeyTests {
        @Test func passkeySignsInWithoutProvider() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("passkeys", in: fixture, ["site": fixture.shop])
                let login = try #require(result["login"]?.object)
                #expect(login["heading"] == "Sign in to Shop" && login["shown"] == true)
                let account = try #require(result["account"]?.object)
                #expect(account["heading"] == "Your account" && account["url"]?.string == "\(fixture.shop)/account")
                let added = try #require(result["added"]?.object)
                #expect(added["url"]?.string == "\(fixture.shop)/account?notice=added")
                #expect(added["text"]?.string?.contains("My passkey") == true)
                #expect(result["discoverable"] == [true])
                let out = try #require(result["out"]?.object)
                #expect(out["heading"] == "You are signed out" && out["cookies"] == [])
                #expect(result["suggested"]?.string == "\(fixture.app)/welcome")
                #expect(result["end"]?.string == "\(fixture.app)/welcome")
                #expect(result["back"]?.string?.contains("Last used") == true)
                #expect(result["me"]?.object?["user"]?.object?["email"] == "alice@example.com")
                #expect(result["complaints"] == [])
            }
        }

        @Test func authenticatorThatDoesNotVerifyItsUserMakesNone() async throws {
            try await withSignInFixture { fixture async throws in
                let options = ["site": fixture.shop, "verified": "no"]
                #expect(try await Person.plays("passkeys", in: fixture, options)["made"] == 0)
            }
        }

        /// What the library fido2 accepts, and writes, the gateway accepts too.
        @Test func otherImplementationAgrees() async throws {
            try await withSignInFixture { fixture async throws in
                let arguments = [
                    Program.script("passkeys"), fixture.shop, fixture.certificates.file("authority.pem"),
                ]
                let results = try jsonLine(try await TestEnvironment.python().succeed(arguments))
                #expect(results.members.count == 6)
                for member in results.members {
                    let result = try #require(member.value.object)
                    let comment = Comment(rawValue: "\(member.name): \(JSONWriter.text(of: member.value))")
                    #expect(result["algorithms"] == [-7, -8, -257], comment)
                    #expect(result["added"] == "/account?notice=added", comment)
                    #expect(result["location"]?.string == "\(fixture.app)/welcome", comment)
                    #expect(result["same"] == true, comment)
                    #expect(result["again"] == 400 && result["elsewhere"] == 400, comment)
                }
            }
        }
    }

    /// The account page, as Chromium shows it.
    @Suite struct AccountPageInBrowserTests {
        @Test func pageIsReadableOnEveryScreenAndWithoutScript() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("account", in: fixture, ["site": fixture.shop])
                let shown = try #require(result["shown"]?.array).compactMap(\.object)
                #expect(shown.count == 6)
                for page in shown {
                    let comment = Comment(rawValue: "\(JSONWriter.text(of: .object(page)))")
                    #expect(page["complaints"] == [] && page["foreign"] == [], comment)
                    #expect(try #require(page["contrast"]?.double) >= 4.5, comment)
                    #expect(page["wide"] == false, comment)
                    #expect(try #require(page["smallest_target"]?.double) >= 44, comment)
                    let isWhite = page["background"] == "rgb(255, 255, 255)"
                    #expect(isWhite == (page["scheme"] == "light"), comment)
                }
                let names = try #require(result["names"]?.array)
                for name in ["Your account", "Where you are signed in", "Ways to sign in", "Passkeys"] {
                    #expect(names.contains(["heading", .string(name)]), "\(name) in \(names)")
                }
                #expect(result["language"] == "en")
                #expect(result["without_script"] == "You are signed out")
            }
        }
    }
}
