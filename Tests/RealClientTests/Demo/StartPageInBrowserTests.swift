import TestSupport
import Testing
import Verification

extension RealClients {
    /// The demo's start page in Chromium, which resolves its hosts by itself.
    @Suite struct StartPageInBrowserTests {
        /// What came of a scenario of `demo.py`, at a demo of its own.
        private func play(_ scenario: String) async throws -> JSONObject {
            let demo = try Program.besideTests("gatehouse-demo").start(["--free-ports", "--print-json"])
            var result: JSONObject?
            try await attempt {
                let described = try jsonLine(try await demo.line())
                let port = try #require(described["gateway"]?.string?.split(separator: ":").last)
                let arguments = [Program.script("demo"), scenario, "start=http://localhost:\(port)"]
                result = try jsonLine(try await Program.python.succeed(arguments))
            } finally: {
                await demo.stop()
            }
            return try #require(result)
        }

        /// What WCAG 2.2 asks of a page (success criteria 1.4.3, 1.4.10 and 2.5.8), and on a phone 2.5.5.
        @Test func everyAnswerIsReadableOnEveryScreenInBothSchemes() async throws {
            let shown = try #require(try await play("looks")["shown"]?.array).compactMap(\.object)
            #expect(shown.count == 20)
            for page in shown {
                let comment = Comment(rawValue: "\(JSONWriter.text(of: .object(page)))")
                #expect(page["wide"] == false, comment)
                #expect(try #require(page["contrast"]?.double) >= 4.5, comment)
                #expect(try #require(page["texts"]?.double) >= 20, comment)
                let smallest: Double = try #require(page["width"]?.double) > 720 ? 24 : 44
                #expect(try #require(page["smallest_target"]?.double) >= smallest, comment)
                let ground = page["scheme"] == "dark" ? "rgb(14, 20, 18)" : "rgb(243, 246, 245)"
                #expect(page["background"]?.string == ground, comment)
            }
        }

        @Test func everyButtonShowsRequestDecisionAndResponse() async throws {
            let result = try await play("buttons")
            for (action, verdict, phase, texts) in [
                ("sign_in", "Sign in: 200 OK", "answered", ["POST http://customer.localhost", "lets anyone in"]),
                ("call", "Call: 200 OK", "answered", ["goes on to the app", "$CUSTOMER_TOKEN", "tenants.yaml:"]),
                (
                    "call_without_token", "Call without a token: 401 Unauthorized", "refused",
                    ["refused: 401 missing_token", "WWW-Authenticate"]
                ),
                ("expire", "Expire my token: 200 OK", "answered", ["refreshed first", "X-Refreshed-Token"]),
                ("revoke", "Revoke me: 401 Unauthorized", "refused", ["refused: 401 token_revoked", "$ADMIN_TOKEN"]),
                (
                    "signal", "Report me stolen: 401 Unauthorized", "refused",
                    ["an entry of signals", "202 Accepted", "refused: 401 token_revoked"]
                ),
                ("flood", "Flood: 429 Too Many Requests", "refused", ["refused: 429 rate_limited", "Retry-After"]),
            ] {
                let shown = try #require(result[action]?.object)
                #expect(shown["verdict"]?.string == verdict)
                #expect(shown["phase"]?.string == phase, "\(action)")
                for text in texts { #expect(shown["shown"]?.string?.contains(text) == true, "\(action): \(text)") }
            }
            #expect(result["chip"]?.string?.hasPrefix("signed in until ") == true)
            #expect(result["complaints"] == [])
        }

        @Test func appIsChosenAndCalledByKeyboard() async throws {
            let result = try await play("keyboard")
            #expect(result["app"] == "chat")
            #expect(result["ring"] == "solid")
            #expect(result["focused"]?.object?["visible"] == true)
            #expect(result["verdict"] == "Call without a token: 401 Unauthorized")
            #expect(result["kept"] == "call_without_token")
            #expect(result["copied"] == "Copied")
            #expect(result["curl"]?.string?.hasPrefix("curl -i http://chat.localhost:") == true)
            #expect(result["complaints"] == [])
        }

        @Test func stepsAppearOneAfterTheOther() async throws {
            let result = try await play("steps")
            #expect(result["seen"] == [1, 2, 3])
            #expect(result["complaints"] == [])
        }

        @Test func everyControlOfStartPageHasAccessibleName() async throws {
            let result = try await play("names")
            #expect(result["language"] == "en")
            let pairs = try #require(result["pairs"]?.array)
            for (role, name) in [
                ("radio", "Customer customer.localhost"), ("button", "Sign in a new session"),
                ("button", "Revoke me and call again"), ("button", "Copy"), ("link", "Dashboard"),
                ("heading", "The gateway decides"),
            ] {
                let isThere = pairs.contains { pair in
                    pair.array?.first?.string == role && pair.array?.last?.string?.hasPrefix(name) == true
                }
                #expect(isThere, "no \(role) \(name) in \(pairs)")
            }
            for pair in pairs.compactMap(\.array) {
                let needsName: [JSONValue] = ["button", "link", "radio", "group", "image"]
                guard let role = pair.first, needsName.contains(role) else { continue }
                #expect(pair.last?.string?.isEmpty == false, "\(pair)")
            }
        }

        @Test func chatSignInEndsOnAppsPage() async throws {
            let result = try await play("chat")
            #expect(result["before"] == "chat: Nobody is signed in")
            #expect(result["provider"] == "Sign in with Google (stand-in)")
            #expect(result["url"] == result["home"])
            #expect(result["after"] == "chat: You are signed in")
            #expect(result["text"]?.string?.contains("alice@example.com") == true)
        }
    }
}
