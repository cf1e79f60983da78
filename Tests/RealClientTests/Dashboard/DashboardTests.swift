import Foundation
import Testing
import Verification

extension RealClients {
    /// The dashboard, as Chromium shows it to whoever runs a gateway.
    @Suite struct DashboardTests {
        private static func strings(_ value: JSONValue?) throws -> [String] {
            try #require(value?.array).compactMap(\.string)
        }

        /// What WCAG 2.2 asks of a page (success criteria 1.4.3, 1.4.10 and 2.5.8), and on a phone 2.5.5.
        @Test func everyViewIsReadableOnEveryScreenInBothSchemes() async throws {
            try await withDashboardFixture { fixture async throws in
                let shown = try #require(try await fixture.plays("looks")["shown"]?.array).compactMap(\.object)
                #expect(shown.count == 30)
                for page in shown {
                    let comment = Comment(rawValue: "\(JSONWriter.text(of: .object(page)))")
                    #expect(page["wide"] == false, comment)
                    #expect(try #require(page["contrast"]?.double) >= 4.5, comment)
                    #expect(try #require(page["texts"]?.double) >= 5, comment)
                    let smallest: Double = try #require(page["width"]?.double) > 720 ? 24 : 44
                    #expect(try #require(page["smallest_target"]?.double) >= smallest, comment)
                    let ground = page["scheme"] == "dark" ? "rgb(14, 20, 18)" : "rgb(243, 246, 245)"
                    #expect(page["background"]?.string == ground, comment)
                }
            }
        }

        @Test func everythingHasANameForScreenReaders() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("names")
                #expect(told["language"] == "en")
                for (view, role, name) in [
                    ("lock", "textbox", "Admin token"), ("lock", "button", "Open the dashboard"),
                    ("overview", "navigation", "Views"), ("overview", "button", "Reload configuration"),
                    ("overview", "button", "System colors"), ("overview", "heading", "Overview"),
                    ("overview", "combobox", "Tenant"), ("overview", "table", "Tenants"),
                    ("overview", "button", "shop"), ("overview", "rowheader", "shop shop.localtest"),
                    ("health", "table", "Servers"), ("health", "heading", "Store and memory"),
                    ("revocations", "form", "Refuse from now on"), ("revocations", "radio", "a session (sid)"),
                    ("revocations", "textbox", "The token"), ("sessions", "textbox", "ID"),
                    ("explain", "combobox", "Method"), ("explain", "textbox", "Path"),
                ] {
                    let pairs = try #require(told[view]?.array)
                    #expect(pairs.contains([.string(role), .string(name)]), "\(view): no \(role) \(name) in \(pairs)")
                    // Nothing that is pressed or filled in is without one.
                    for pair in pairs.compactMap(\.array) {
                        let needsName: [JSONValue] = [
                            "button", "link", "textbox", "combobox", "radio", "table", "image",
                        ]
                        guard let role = pair.first, needsName.contains(role) else { continue }
                        #expect(pair.last?.string?.isEmpty == false, "\(view): \(pair)")
                    }
                }
            }
        }

        @Test func theTokenIsAskedForAndKeptInTheTabAlone() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("prompt")
                #expect(told["asked"] == [])
                #expect(told["refused"] == "This is not the admin token.")
                #expect(told["hidden"] == true)
                #expect(told["locked"] == true)
                #expect(told["urls"] == [])
            }
        }

        @Test func numbersMoveWithTraffic() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("traffic")
                #expect(told["before"]?.string?.contains("0 since the start") == true)
                #expect(try Self.strings(told["refusals"]) == ["missing token 4", "invalid token 2"])
                let row = try #require(told["row"]?.string)
                #expect(row.contains("shop.localtest") && row.contains("1 of 1 up"))
                #expect(told["drawn"]?.string?.hasPrefix("M") == true)
                let latency = try #require(told["latency"]?.string)
                #expect(latency.hasPrefix("Latency, the last") && latency.contains("p99 ") && !latency.contains("–"))
                #expect(told["other"] == "Nothing was refused.")
                #expect(told["server"]?.string?.contains("9") == true)
                #expect(told["complaints"] == [])
                #expect(told["outside"] == [])
            }
        }

        @Test func aTokenIsRevokedAndLetInAgainByKeysAlone() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("keyboard")
                #expect(told["before"] == 200)
                #expect(told["news"] == "Revoked for shop: token the-callers.")
                #expect(told["after"] == "token_revoked")
                #expect(told["kept"] == "")
                // What somebody wrote is text, whatever it looks like.
                #expect(told["row"]?.string?.contains("<img src=x onerror=alert(1)>") == true)
                #expect(told["images"] == 0)
                #expect(told["safe"] == "Cancel")
                #expect(told["again"] == 200)
                #expect(told["complaints"] == [])
            }
        }

        @Test func aDecisionIsExplained() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("explain")
                let nobody = try #require(told["nobody"]?.object)
                #expect(nobody["verdict"] == "It is refused: 401 missing_token.")
                let caller = try #require(told["caller"]?.object)
                #expect(caller["verdict"] == "It goes on to the backend.")
                for step in ["route", "token", "verify", "authorize"] {
                    #expect(caller["steps"]?.string?.contains(step) == true, "\(step)")
                }
                #expect(told["mistake"]?.string?.isEmpty == false)
                #expect(told["leaked"] == false)
            }
        }

        @Test func aSessionIsFoundAndEnded() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("sessions")
                let session = try #require(told["session"]?.string)
                #expect(told["before"] == 200)
                #expect(told["row"]?.string?.contains(session) == true)
                #expect(told["news"]?.string == "Ended: \(session).")
                #expect(told["left"] == "None: no such session goes on.")
                #expect(told["after"] == "token_revoked")
                #expect(told["complaints"] == [])
            }
        }

        @Test func nothingOfWhatWasToldOrTypedIsLeftInALockedPage() async throws {
            try await withDashboardFixture { fixture async throws in
                let told = try await fixture.plays("lock")
                #expect(told["unseen"] == [])
                #expect(told["left"] == [])
                #expect(told["rows"] == 0)
                #expect(told["again"]?.string?.isEmpty == false)
                #expect(told["complaints"] == [])
            }
        }

        @Test func theCommandOfTheDocumentListensToEvents() async throws {
            let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/dashboard.md")
            let text = try String(contentsOf: document, encoding: .utf8)
            let command = try #require(text.firstMatch(of: /```sh\n(curl [^\n]*\/api\/events)\n```/))
            try await withDashboardFixture { fixture async throws in
                let line = try await fixture.line(with: "data: ", of: String(command.1))
                let report = try jsonLine(String(line.dropFirst("data: ".count)))
                #expect(report["tenants"]?.array?.compactMap { $0.object?["name"] } == ["shop", "clans"])
            }
        }

        @Test func theSwitchOfColorsWinsAndIsRemembered() async throws {
            try await withDashboardFixture { fixture async throws in
                let (dark, light) = ("rgb(14, 20, 18)", "rgb(243, 246, 245)")
                // As the system likes it, light, dark; and after two more steps light, in a new page too.
                #expect(try Self.strings(try await fixture.plays("scheme")["colors"]) == [dark, light, dark, light])
            }
        }
    }
}
