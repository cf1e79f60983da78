import Foundation
import Testing
import Verification

extension RealClients {
    /// The dashboard in Chromium.
    @Suite struct DashboardTests {
        private static func strings(_ value: JSONValue?) throws -> [String] {
            try #require(value?.array).compactMap(\.string)
        }

        /// The requirements of WCAG 2.2 for a page (success criteria 1.4.3, 1.4.10 and 2.5.8), and on a phone 2.5.5.
        @Test func everyViewIsReadableOnEveryScreenInBothSchemes() async throws {
            try await withDashboardFixture { fixture async throws in
                let shown = try #require(try await fixture.plays("looks")["shown"]?.array).compactMap(\.object)
                #expect(shown.count == 45)
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

        @Test func everyViewUsesTheWidthOfAnyScreen() async throws {
            try await withDashboardFixture { fixture async throws in
                let shown = try #require(try await fixture.plays("widths")["shown"]?.array).compactMap(\.object)
                #expect(shown.count == 24)
                for page in shown {
                    let comment = Comment(rawValue: "\(JSONWriter.text(of: .object(page)))")
                    #expect(page["wide"] == false && page["over"] == [], comment)
                    #expect(try #require(page["used"]?.double) >= 0.9, comment)
                }
            }
        }

        @Test func refusalIsExplainedByKeyboard() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("refused")
                let rows = try Self.strings(result["rows"])
                #expect(rows.count == 3)
                #expect(rows[0].contains("404") && rows[0].contains("unknown host") && rows[0].contains("no tenant"))
                #expect(rows[1].contains("401") && rows[1].contains("missing token"))
                // Shown as text, never as markup.
                #expect(rows[1].contains("GET /admin/%3Cimg%20src=x%3E") && rows[1].contains("127.0.0.1"))
                let why = try #require(result["why"]?.string)
                #expect(why.contains("A token is needed: this path needs a token and none was sent."))
                #expect(why.contains("rule /admin/** needs a signed-in caller with one of the roles"))
                #expect(result["form"] == ["shop", "GET", "/admin/%3Cimg%20src=x%3E", "127.0.0.1"])
                #expect(result["paused"] == 3)
                #expect(result["after"] == 4)
                #expect(try Self.strings(result["clans"]) == [])
                #expect(result["leaked"] == false)
                #expect(result["images"] == 0)
                #expect(result["complaints"] == [])
            }
        }

        /// Of more tenants than an event has.
        @Test func oneOfManyTenantsIsFoundAndShownWithRoutesAndBackends() async throws {
            try await withDashboardFixture(further: 240) { fixture async throws in
                let result = try await fixture.plays("many")
                #expect(result["rows"] == 100)
                #expect(result["note"] == "The 100 with the most requests, of 242.")
                #expect(try #require(result["elements"]?.double) < 4000)
                #expect(result["found"] == ["more-239"])
                #expect(try #require(result["tile"]?.string).contains("2 since the start"))
                let routes = try Self.strings(result["routes"])
                #expect(routes.count == 3)
                #expect(routes[0].hasPrefix("/api/** GET any backend api, which sees it as /v2/**"))
                #expect(routes[0].hasSuffix(" 2 100 %"))
                #expect(routes[1].contains("none since"))
                let backends = try Self.strings(result["backends"])
                #expect(backends.count == 2)
                #expect(backends[0].contains(" default up 0 0") && backends[1].contains(" api up 2 0"))
                #expect(result["chosen"] == "more-117")
                #expect(result["complaints"] == [])
            }
        }

        @Test func deadRulesShowOnTenantsPage() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("rules")
                #expect(result["title"] == "Tenant")
                let rows = try Self.strings(result["rows"])
                #expect(rows.count == 3)
                #expect(rows[0].hasPrefix("/things/never/** GET, POST role admin or keeper; scope things enforce"))
                #expect(rows[0].contains("none since"))
                #expect(rows[1].hasPrefix("/admin/** all role admin enforce") && rows[1].hasSuffix(" 3 75 %"))
                #expect(rows[2].hasPrefix("every other path all any signed-in caller") && rows[2].hasSuffix(" 1 25 %"))
                #expect(result["note"] == "1 of 2 rules had no request yet.")
                #expect(result["refusals"] == "missing token 3")
                #expect(result["kept"] == "tenant-name")
                #expect(result["keys"] == ["active", "next"])
                #expect(result["other"] == "There are no rules: every path needs a signed-in caller.")
                #expect(result["complaints"] == [])
            }
        }

        @Test func reloadsShowWhatTheyHaveChanged() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("reloads")
                #expect(result["start"] == "The configuration is that of the start.")
                #expect(result["certificates"] == "None: the gateway has no TLS of its own.")
                #expect(result["refused"]?.string?.contains("max_staleness") == true)
                let applied = try #require(result["applied"]?.string)
                #expect(applied.contains("applied") && applied.contains("tenant shop: changed, and 1 more"))
                #expect(applied.contains("tenants.shop.max_staleness") && applied.contains("20m"))
                #expect(applied.contains("tenant clans: removed"))
                #expect(result["complaints"] == [])
            }
        }

        @Test func tenantIsEditedByKeyboard() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("edit")
                #expect(result["mistake"]?.string?.hasPrefix("Line 2: unknown key \"server\"") == true)
                #expect(result["marked"] == ["2"])
                // Line 2, after the padding and a line of 20 pixels.
                #expect(result["levels"] == ["first": 28, "overlap": false, "below": false])
                #expect(result["narrow"]?.object?["below"] == true)
                #expect(result["place"]?.string?.hasPrefix("server: [") == true)
                #expect(result["saved"] == "Saved bakery as version 1.")
                #expect(result["secret"] == false)
                #expect(result["status"] == 200)
                let lines = try Self.strings(result["lines"])
                #expect(lines.contains("- hosts: [bread.localtest]") && lines.contains("+ hosts: [bakery.localtest]"))
                #expect(lines.contains("+ mode: observe"))
                #expect(result["back"] == true)
                #expect(result["complaints"] == [])
            }
        }

        @Test func everyControlHasAccessibleName() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("names")
                #expect(result["language"] == "en")
                for (view, role, name) in [
                    ("lock", "textbox", "Admin token"), ("lock", "button", "Open the dashboard"),
                    ("overview", "navigation", "Views"), ("overview", "button", "Reload configuration"),
                    ("overview", "button", "System colors"), ("overview", "heading", "Overview"),
                    ("overview", "combobox", "Tenant"), ("overview", "table", "Tenants"),
                    ("overview", "button", "shop"), ("overview", "rowheader", "shop shop.localtest"),
                    ("overview", "link", "Rules of shop"), ("refused", "heading", "Refusals"),
                    ("refused", "combobox", "Tenant"), ("refused", "button", "Pause"),
                    ("tenant", "table", "Access rules the first that matches decides"),
                    ("tenant", "combobox", "Name"), ("edit", "textbox", "Name"), ("edit", "button", "Save"),
                    ("overview", "link", "New tenant"), ("health", "table", "Servers"),
                    ("health", "heading", "Store and memory"),
                    ("revocations", "form", "Refuse from now on"), ("revocations", "radio", "a session (sid)"),
                    ("revocations", "textbox", "The token"), ("sessions", "textbox", "ID"),
                    ("explain", "combobox", "Method"), ("explain", "textbox", "Path"),
                ] {
                    let pairs = try #require(result[view]?.array)
                    #expect(pairs.contains([.string(role), .string(name)]), "\(view): no \(role) \(name) in \(pairs)")
                    // Every control has one.
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

        @Test func tokenIsKeptInTabOnly() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("prompt")
                #expect(result["asked"] == [])
                #expect(result["refused"] == "This is not the admin token.")
                #expect(result["hidden"] == true)
                #expect(result["locked"] == true)
                #expect(result["urls"] == [])
            }
        }

        @Test func numbersMoveWithTraffic() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("traffic")
                #expect(result["before"]?.string?.contains("0 since the start") == true)
                #expect(try Self.strings(result["refusals"]) == ["missing token 4", "invalid token 2"])
                let row = try #require(result["row"]?.string)
                #expect(row.contains("shop.localtest") && row.contains("1 of 1 up"))
                #expect(result["drawn"]?.string?.hasPrefix("M") == true)
                let latency = try #require(result["latency"]?.string)
                #expect(latency.hasPrefix("Latency, the last") && latency.contains("p99 ") && !latency.contains("–"))
                #expect(result["other"] == "Nothing was refused.")
                #expect(result["server"]?.string?.contains("9") == true)
                #expect(result["complaints"] == [])
                #expect(result["outside"] == [])
            }
        }

        @Test func tokenIsRevokedAndWithdrawnByKeyboard() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("keyboard")
                #expect(result["before"] == 200)
                #expect(result["news"] == "Revoked for shop: token the-callers.")
                #expect(result["after"] == "token_revoked")
                #expect(result["kept"] == "")
                // User input is shown as text, never as markup.
                #expect(result["row"]?.string?.contains("<img src=x onerror=alert(1)>") == true)
                #expect(result["images"] == 0)
                #expect(result["safe"] == "Cancel")
                #expect(result["again"] == 200)
                #expect(result["complaints"] == [])
            }
        }

        @Test func decisionIsExplained() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("explain")
                let nobody = try #require(result["nobody"]?.object)
                #expect(nobody["verdict"] == "It is refused: 401 missing_token.")
                let caller = try #require(result["caller"]?.object)
                #expect(caller["verdict"] == "It goes on to the backend.")
                for step in ["route", "token", "verify", "authorize"] {
                    #expect(caller["steps"]?.string?.contains(step) == true, "\(step)")
                }
                #expect(result["mistake"]?.string?.isEmpty == false)
                #expect(result["leaked"] == false)
            }
        }

        @Test func sessionIsFoundAndEnded() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("sessions")
                let session = try #require(result["session"]?.string)
                #expect(result["before"] == 200)
                #expect(result["row"]?.string?.contains(session) == true)
                #expect(result["news"]?.string == "Ended: \(session).")
                #expect(result["left"] == "None: no such session goes on.")
                #expect(result["after"] == "token_revoked")
                #expect(result["complaints"] == [])
            }
        }

        @Test func lockedPageKeepsNoData() async throws {
            try await withDashboardFixture { fixture async throws in
                let result = try await fixture.plays("lock")
                #expect(result["unseen"] == [])
                #expect(result["left"] == [])
                #expect(result["rows"] == 0)
                #expect(result["again"]?.string?.isEmpty == false)
                #expect(result["complaints"] == [])
            }
        }

        @Test func documentedCommandStreamsEvents() async throws {
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

        @Test func colorSchemeChoiceIsRemembered() async throws {
            try await withDashboardFixture { fixture async throws in
                let (dark, light) = ("rgb(14, 20, 18)", "rgb(243, 246, 245)")
                // As the system is set, light, dark; and after two more steps light, in a new page too.
                #expect(try Self.strings(try await fixture.plays("scheme")["colors"]) == [dark, light, dark, light])
            }
        }
    }
}
