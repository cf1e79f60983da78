import Testing
import Verification

extension RealClients {
    /// The pages of the gateway, as Chromium shows them and its accessibility tree describes them.
    @Suite struct HostedPageInBrowserTests {
        /// The requirements of WCAG 2.2 for a page (success criteria 1.4.3, 1.4.10 and 2.5.5). It loads nothing, and
        /// nothing on it was refused.
        private static func expectGood(_ shown: JSONValue, on background: (JSONValue) -> Bool) throws {
            let page = try #require(shown.object)
            let comment = Comment(rawValue: "\(JSONWriter.text(of: shown))")
            #expect(page["foreign"] == [], comment)
            #expect(page["requests"] == 1, comment)
            #expect(try #require(page["texts"]?.double) >= 3, comment)
            #expect(try #require(page["contrast"]?.double) >= 4.5, comment)
            #expect(page["wide"] == false, comment)
            #expect(try #require(page["smallest_target"]?.double) >= 44, comment)
            #expect(background(try #require(page["background"])), comment)
        }

        private static func expectGood(everywhere result: JSONObject) throws {
            let shown = try #require(result["shown"]?.array)
            #expect(shown.count == 6)
            for look in shown {
                let isDark = look.object?["scheme"] == "dark"
                try expectGood(look) { isDark ? $0 != "rgb(255, 255, 255)" : $0 == "rgb(255, 255, 255)" }
            }
            #expect(result["language"] == "en")
        }

        @Test func pageIsReadableOnEveryScreenAndToScreenReaders() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("page", in: fixture)
                try Self.expectGood(everywhere: result)
                for look in try #require(result["shown"]?.array) { #expect(look.object?["complaints"] == []) }
                let names = try #require(result["names"]?.array)
                for (role, name) in [
                    ("RootWebArea", "Sign in to Clan Boards"), ("heading", "Sign in to Clan Boards"), ("main", ""),
                    ("link", "Sign in with Apple"), ("link", "Sign in with Google"), ("link", "Cancel"),
                ] {
                    #expect(names.count { $0 == [.string(role), .string(name)] } == 1, "\(role) \(name) in \(names)")
                }
                // The two lists are equal, and every control has a name.
                #expect(names.count { $0.array?.first == "listitem" } == 2)
                #expect(names.count { $0.array?.first == "link" } == 3)
                #expect(!names.contains { $0.array?.first == "image" })
            }
        }

        @Test func errorPageIsReadableAndDoesNotRedirect() async throws {
            try await withSignInFixture { fixture async throws in
                let url = fixture.authorize(client: "nobody")
                let result = try await Person.plays("page", in: fixture, at: url)
                try Self.expectGood(everywhere: result)
                for look in try #require(result["shown"]?.array) {
                    // The browser's message for every page with status 400.
                    let complaints = try #require(look.object?["complaints"]?.array)
                    #expect(complaints.count == 1)
                    #expect(complaints.first?.string?.contains("status of 400") == true)
                }
                let names = try #require(result["names"]?.array)
                #expect(names.contains(["heading", "This app is not known here"]))
                #expect(!names.contains { $0.array?.first == "link" })
            }
        }

        @Test func pageCannotBeFramed() async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Person.plays("framed", in: fixture)
                let page = try #require(result["page"]?.object)
                #expect(page["text"]?.string?.contains("Sign in") == false)
                let complaints = try #require(page["complaints"]?.array).compactMap(\.string)
                #expect(complaints.contains { $0.contains("frame-ancestors") }, "\(complaints)")
                // The frame would show a page that allows framing.
                #expect(result["other"]?.object?["text"]?.string?.contains("Back in the app") == true)
            }
        }
    }
}
