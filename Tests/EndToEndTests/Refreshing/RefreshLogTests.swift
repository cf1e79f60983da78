import Testing
import Verification

/// Refreshes in the access log and the metrics.
@Suite struct RefreshLogTests {
    /// The counts of `gatehouse_refresh_total`, by outcome, that are not zero.
    private func expectCounts(_ fixture: GatewayFixture, _ expected: [String: Double]) async throws {
        let outcomes = [
            "started", "shared", "renewed", "refused", "unavailable", "replayed", "not_replayable", "delivered",
        ]
        let count = { (metrics: Metrics, outcome: String) in
            metrics.value("gatehouse_refresh_total", ["tenant": "app", "outcome": outcome]) ?? 0
        }
        let metrics = try await fixture.metrics { metrics in
            outcomes.allSatisfy { count(metrics, $0) == expected[$0, default: 0] }
        }
        #expect(metrics.types["gatehouse_refresh_total"] == "counter")
        #expect(metrics.helps.contains("gatehouse_refresh_total"))
    }

    private func line(_ fixture: GatewayFixture) async throws -> [String: JSONValue] {
        let line = try await fixture.accessLog.next()
        var logged: [String: JSONValue] = [:]
        for member in line.members where ["path", "status"].contains(member.name) || member.name.hasPrefix("refresh") {
            logged[member.name] = member.value
        }
        return logged
    }

    @Test func replayedRequestIsLoggedAndCountedOnce() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            _ = try await fixture.request("/x", token: session.old)
            _ = try await fixture.request("/open/y")
            #expect(try await line(fixture) == ["path": "/x", "status": 200, "refreshed": true, "refresh": "replayed"])
            #expect(try await line(fixture) == ["path": "/open/y", "status": 200, "refreshed": false])
            try await expectCounts(fixture, ["started": 1, "renewed": 1, "replayed": 1])
            let requests = try await fixture.metrics().value("gatehouse_requests_total", ["tenant": "app"])
            #expect(requests == 2)
        }
    }

    @Test func sharedRefreshIsMarkedInLog() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            for _ in 0..<2 { _ = try await fixture.request("/x", token: session.old) }
            #expect(try await line(fixture)["refresh_shared"] == nil)
            #expect(try await line(fixture)["refresh_shared"] == true)
            try await expectCounts(fixture, ["started": 1, "renewed": 1, "shared": 1, "replayed": 2])
        }
    }

    @Test func backgroundTokenIsLoggedAsDelivered() async throws {
        try await withStub(.refreshing("within: 1h")) { fixture, stub async throws in
            let session = try fixture.session(
                ["exp": TestIssuer.fromNow(1800)],
                next: ["exp": TestIssuer.fromNow(7200)]
            )
            stub.give(token: session.new)
            let ask = { try await fixture.request("/x", token: session.old) }
            _ = try await fixture.response(ask) { $0.fields["X-Refreshed-Token"] == [session.new] }
            var last = try await line(fixture)
            #expect(last == ["path": "/x", "status": 200, "refreshed": false])
            while last["refreshed"] == false { last = try await line(fixture) }
            #expect(last == ["path": "/x", "status": 200, "refreshed": true, "refresh": "delivered"])
            try await expectCounts(fixture, ["started": 1, "renewed": 1, "delivered": 1])
        }
    }

    @Test func refusalIsLoggedWithItsReason() async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.give(["error": "invalid_grant"], status: 400)
            _ = try await fixture.request("/x", token: session.old)
            #expect(
                try await line(fixture)
                    == [
                        "path": "/x", "status": 401, "refreshed": false, "refresh": "refused",
                        "refresh_reason": "refused",
                    ]
            )
            try await expectCounts(fixture, ["started": 1, "refused": 1])
        }
    }

    @Test func unavailableRefreshIsLoggedWithReason() async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.give(token: try fixture.token(["sub": "mallory"]))
            _ = try await fixture.request("/x", token: session.old)
            #expect(
                try await line(fixture)
                    == [
                        "path": "/x", "status": 401, "refreshed": false, "refresh": "unavailable",
                        "refresh_reason": "other_subject",
                    ]
            )
            try await expectCounts(fixture, ["started": 1, "unavailable": 1])
        }
    }

    @Test func unreplayableRequestIsCounted() async throws {
        let setup = GatewaySetup.refreshing(tenant: "limits: { replay_bytes: 1 }")
        try await withEndedSession(setup, giving: .token) { fixture, _, session async throws in
            let head = fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 2"])
            _ = try await fixture.send(head + "ab", method: "POST")
            #expect(
                try await line(fixture)
                    == [
                        "path": "/x", "status": 401, "refreshed": true, "refresh": "not_replayable",
                        "refresh_reason": "body_too_large",
                    ]
            )
            try await expectCounts(fixture, ["started": 1, "renewed": 1, "not_replayable": 1])
        }
    }

    @Test func logsContainNoTokens() async throws {
        try await withEndedSession(.refreshingCookies(), giving: .pair) { fixture, stub, session async throws in
            _ = try await fixture.request("/x", fields: [session.cookies])
            // Refused responses are not quoted either.
            stub.end(session.new)
            let other = try fixture.token(["sid": "s2"])
            stub.end(other)
            stub.onRefresh { try await $0.sendOK("{ \(session.newRefresh) \(session.new)") }
            _ = try await fixture.request("/y", fields: ["Cookie: access=\(other); refresh=\(session.oldRefresh)"])
            for path in ["/x", "/y"] { #expect(try await line(fixture)["path"] == .string(path)) }
            let lines = fixture.accessLog.text + fixture.log.text
            for secret in [session.old, session.new, session.oldRefresh, session.newRefresh, other] {
                #expect(!lines.contains(secret))
            }
        }
    }
}
