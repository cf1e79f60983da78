import Testing
import Verification

extension RealClients {
    /// What pages in Chromium get done at an app that is another origin to them.
    @Suite struct CrossOriginPageTests {
        /// What the app has seen of a page's calls, as "METHOD PATH USER".
        private static func seen(_ told: JSONObject) throws -> [String] {
            try #require(told["seen"]?.array).map { call in
                (call.array ?? []).compactMap(\.string).joined(separator: " ")
            }
        }

        private static let read: JSONObject = [
            "status": 200, "total": "3", "hidden": .null, "challenge": .null, "user": "alice",
        ]

        @Test func aPageThatMayCallIsToldEverything() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let told = try await fixture.calls(from: "front")
                #expect(told["simple"]?.object?["total"] == "3")
                #expect(told["simple"]?.object?["hidden"] == .null)
                #expect(told["simple"]?.object?["user"] == .null)
                let refused = try #require(told["refused"]?.object)
                #expect(refused["status"] == 401 && refused["code"] == "missing_token")
                #expect(refused["challenge"] == "Bearer realm=\"shop\"")
                for call in ["cookie", "asked", "posted"] { #expect(told[call]?.object == Self.read, "\(call)") }
                #expect(told["blind"] == "opaque")
                #expect(told["form"]?.object?["user"] == "alice")
                #expect(told["socket"]?.object?["user"] == "alice")
                let seen = try Self.seen(told)
                #expect(
                    seen == [
                        "GET /open/simple ", "GET /cookie alice", "PUT /asked alice", "POST /posted alice",
                        "POST /blind alice", "GET /socket alice", "POST /form alice",
                    ]
                )
            }
        }

        @Test func aPageThatMayNotGetsNothingDone() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let told = try await fixture.calls(from: "evil")
                // The browser keeps the answers from it, although the app would let it read them.
                for call in ["simple", "refused", "cookie", "asked", "posted"] {
                    #expect(told[call]?.object?["trouble"] == "TypeError", "\(call)")
                }
                #expect(told["blind"] == "opaque")
                #expect(told["form"]?.object?["code"] == "cross_site_request")
                #expect(told["socket"]?.object?["trouble"] == "closed")
                // What changes nothing may be asked for, but not read. Nothing else has reached the app.
                let seen = try Self.seen(told)
                #expect(seen == ["GET /open/simple ", "GET /cookie alice"])
            }
        }

        @Test func theAppsOwnPageNeedsNoLeave() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let told = try await fixture.calls(from: nil)
                #expect(told["refused"]?.object?["user"] == "alice")
                for call in ["cookie", "asked", "posted"] {
                    #expect(told[call]?.object?["user"] == "alice", "\(call)")
                    #expect(told[call]?.object?["hidden"] == "4", "\(call)")
                }
                #expect(told["form"]?.object?["user"] == "alice")
                #expect(told["socket"]?.object?["user"] == "alice")
            }
        }
    }
}
