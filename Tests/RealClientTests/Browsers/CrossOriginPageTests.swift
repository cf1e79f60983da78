import Testing
import Verification

extension RealClients {
    /// What pages in Chromium can do at an app of another origin.
    @Suite struct CrossOriginPageTests {
        /// What the app has seen of a page's calls, as "METHOD PATH USER".
        private static func seen(_ result: JSONObject) throws -> [String] {
            try #require(result["seen"]?.array).map { call in
                (call.array ?? []).compactMap(\.string).joined(separator: " ")
            }
        }

        private static let read: JSONObject = [
            "status": 200, "total": "3", "hidden": .null, "challenge": .null, "user": "alice",
        ]

        @Test func allowedOriginReadsResponses() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let result = try await fixture.calls(from: "front")
                #expect(result["simple"]?.object?["total"] == "3")
                #expect(result["simple"]?.object?["hidden"] == .null)
                #expect(result["simple"]?.object?["user"] == .null)
                let refused = try #require(result["refused"]?.object)
                #expect(refused["status"] == 401 && refused["code"] == "missing_token")
                #expect(refused["challenge"] == "Bearer realm=\"shop\"")
                for call in ["cookie", "asked", "posted"] { #expect(result[call]?.object == Self.read, "\(call)") }
                #expect(result["blind"] == "opaque")
                #expect(result["form"]?.object?["user"] == "alice")
                #expect(result["socket"]?.object?["user"] == "alice")
                let seen = try Self.seen(result)
                #expect(
                    seen == [
                        "GET /open/simple ", "GET /cookie alice", "PUT /asked alice", "POST /posted alice",
                        "POST /blind alice", "GET /socket alice", "POST /form alice",
                    ]
                )
            }
        }

        @Test func refusedOriginChangesNothing() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let result = try await fixture.calls(from: "evil")
                // The browser does not give it the responses, although the app would allow that.
                for call in ["simple", "refused", "cookie", "asked", "posted"] {
                    #expect(result[call]?.object?["trouble"] == "TypeError", "\(call)")
                }
                #expect(result["blind"] == "opaque")
                #expect(result["form"]?.object?["code"] == "cross_site_request")
                #expect(result["socket"]?.object?["trouble"] == "closed")
                // Requests that change nothing are sent, but their responses cannot be read. No other reached the app.
                let seen = try Self.seen(result)
                #expect(seen == ["GET /open/simple ", "GET /cookie alice"])
            }
        }

        @Test func sameOriginPageNeedsNoPermission() async throws {
            try await withCrossOriginFixture { fixture async throws in
                let result = try await fixture.calls(from: nil)
                #expect(result["refused"]?.object?["user"] == "alice")
                for call in ["cookie", "asked", "posted"] {
                    #expect(result[call]?.object?["user"] == "alice", "\(call)")
                    #expect(result[call]?.object?["hidden"] == "4", "\(call)")
                }
                #expect(result["form"]?.object?["user"] == "alice")
                #expect(result["socket"]?.object?["user"] == "alice")
            }
        }
    }
}
