import Demo
import Foundation
import Logging
import Tenants
import TestSupport
import Testing
import Verification

@testable import GatehouseDemo

/// The start page's endpoints through the gateway, as its script asks them.
struct StartPageTests {
    private static let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Runs `test` with the gateway's address, and ends the demo.
    ///
    /// - Parameter onEvent: Called with each event that the webhook is told.
    private func withDemo(
        onEvent: @escaping @Sendable (JSONObject) -> Void = { _ in },
        _ test: (StartPageClient) async throws -> Void
    ) async throws {
        let demo = try await DemoEnvironment.start(
            port: nil,
            freePorts: true,
            tokensFile: nil,
            logger: Self.quiet,
            onEvent: onEvent
        )
        do {
            try await demo.signIn()
            try await test(StartPageClient(gateway: demo.welcome.gateway))
        } catch {
            await demo.shutdown()
            throw error
        }
        await demo.shutdown()
    }

    @Test(arguments: SampleAppName.allCases)
    func everyButtonDoesWhatItSays(_ app: SampleAppName) async throws {
        try await withDemo { client in
            let signIn = try await client.press(.signIn, app)
            #expect(signIn.statuses == [200])
            let call = try await client.press(.call, app)
            #expect(call.statuses == [200])
            #expect(call.decisions == ["forward"])
            let nobody = try await client.press(.callWithoutToken, app)
            #expect(nobody.statuses == [401])
            #expect(nobody.decisions == ["refuse 401 missing_token"])
            let expired = try await client.press(.expire, app)
            #expect(expired.decisions == ["refuse 401 token_expired"])
            // The finance app has no `refresh` section.
            #expect(expired.statuses == [app == .finance ? 401 : 200])
            #expect(expired.notes.contains { $0.contains("new token came") } == (app != .finance))
            let revoked = try await client.press(.revoke, app)
            #expect(revoked.statuses == [200, 401])
            #expect(revoked.decisions == ["refuse 401 token_revoked"])
            #expect(revoked.state == "revoked")
            let again = try await client.press(.call, app)
            #expect(again.decisions == ["refuse 401 token_revoked"])
            let signalled = try await client.press(.signal, app)
            #expect(signalled.statuses.suffix(2) == [202, 401])
            #expect(signalled.decisions.suffix(2) == ["forward", "refuse 401 token_revoked"])
            #expect(signalled.state == "revoked")
            let flood = try await client.press(.flood, app)
            #expect(flood.statuses == [200, 429])
            #expect(flood.decisions.last == "refuse 429 rate_limited")
            let counts = try #require(flood.events.last { $0["type"] == "count" }?["statuses"]?.array)
            #expect(counts.compactMap { $0.object?["status"]?.double } == [200, 429])
            #expect(flood.state == "valid")
        }
    }

    @Test(.timeLimit(.minutes(2))) func webhookIsToldOfASignal() async throws {
        let told = Awaited<Set<String>>([])
        try await withDemo(onEvent: { event in _ = told.update { $0.insert(event["type"]?.string ?? "") } }) { client in
            _ = try await client.press(.signal, .chat)
            // They are delivered in the background.
            await told.wait { $0.isSuperset(of: ["signed_in", "revoked"]) }
            let events = try await client.get("/demo/events").json["events"]?.array ?? []
            let types = Set(events.compactMap { $0.object?["type"]?.string })
            #expect(types.isSuperset(of: ["signed_in", "revoked"]))
        }
    }

    @Test func tokenOfFormerIssuerBringsSession() async throws {
        try await withDemo { client in
            let adopted = try await client.press(.adopt, .clans)
            #expect(adopted.statuses == [200] && adopted.state == "valid")
            #expect(adopted.notes.last?.contains("the gateway's own issuer") == true)
            #expect(try await client.press(.call, .clans).statuses == [200])
        }
    }

    @Test func eventsHoldNoWholeToken() async throws {
        try await withDemo { client in
            for app in SampleAppName.allCases {
                let shown = try await client.press(.call, app).events.map { JSONWriter.text(of: .object($0)) }.joined()
                #expect(shown.contains("…"))
                #expect(shown.firstMatch(of: /[A-Za-z0-9_-]{41}/) == nil)
            }
        }
    }

    @Test func otherSitesCannotPressButtons() async throws {
        try await withDemo { client in
            let own = "http://localhost:\(client.gateway.port)"
            for fields in [
                [], [("Origin", "http://evil.example")],
                [("Origin", "http://customer.localhost:\(client.gateway.port)")],
                [("Origin", "null")], [("Origin", own), ("Sec-Fetch-Site", "same-site")],
            ] {
                let response = try await client.post(fields: fields)
                #expect(response.status == 403, "\(fields)")
            }
            let simple = try await client.post(fields: [("Origin", own)], type: "text/plain")
            #expect(simple.status == 403)
            // A name that leads here is not enough.
            let rebound = try await client.post(fields: [("Origin", own)], host: "evil.example")
            #expect(rebound.status == 404)
        }
    }

    @Test func unknownActionIsRefused() async throws {
        try await withDemo { client in
            for body: JSONObject in [
                [:], ["app": "customer"], ["app": "start", "action": "call"], ["app": "chat", "action": "x"],
            ] {
                let origin = "http://localhost:\(client.gateway.port)"
                let response = try await client.post(fields: [("Origin", origin)], body)
                #expect(response.status == 400)
                #expect(response.json["error"]?.string?.contains("call_without_token") == true)
            }
        }
    }

    @Test func oneTrialOfAppRunsAtTime() async {
        let gate = TrialGate()
        #expect(await gate.enter(.chat))
        #expect(await !gate.enter(.chat))
        #expect(await gate.enter(.clans))
        await gate.leave(.chat)
        #expect(await gate.enter(.chat))
    }

    @Test func pageLoadsNothingFromElsewhere() async throws {
        try await withDemo { client in
            let page = try await client.get("/")
            #expect(page.status == 200)
            let policy = try #require(page.first("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
            #expect(!page.body.contains("{{"))
            let state = try await client.get("/demo/state").json
            #expect(state["apps"]?.array?.compactMap { $0.object?["state"] }.count == 5)
        }
    }
}

/// The script of the page.
struct StartPageClient {
    let gateway: HostPort

    struct Outcome {
        let events: [JSONObject]

        /// Of the responses, in their order.
        var statuses: [Int] { of("response").compactMap { $0["status"]?.double.map { Int($0) } } }
        var decisions: [String] { of("decision").compactMap { $0["decision"]?.string } }
        var notes: [String] { of("note").compactMap { $0["text"]?.string } }
        var state: String? { of("session").last?["session"]?.object?["state"]?.string }

        private func of(_ type: String) -> [JSONObject] { events.filter { $0["type"] == .string(type) } }
    }

    func press(_ action: Trial, _ app: SampleAppName) async throws -> Outcome {
        let response = try await post(
            fields: [("Origin", "http://localhost:\(gateway.port)"), ("Sec-Fetch-Site", "same-origin")],
            ["app": .string(app.rawValue), "action": .string(action.rawValue)]
        )
        #expect(response.status == 200)
        let events = try response.body.split(separator: "\n").compactMap { try JSONParser.parse(Array($0.utf8)).object }
        for event in events where event["type"] == "failure" { Issue.record("\(JSONWriter.text(of: .object(event)))") }
        return Outcome(events: events)
    }

    func post(
        fields: [(name: String, value: String)],
        _ body: JSONObject = ["app": "customer", "action": "call"],
        type: String = "application/json",
        host: String = "localhost"
    ) async throws -> TrialResponse {
        let request = TrialRequest(
            method: "POST",
            host: "\(host):\(gateway.port)",
            path: "/demo/try",
            fields: fields + [("Content-Type", type)],
            body: body
        )
        return try await TrialClient.send(request, to: gateway)
    }

    func get(_ path: String) async throws -> TrialResponse {
        try await TrialClient.send(TrialRequest(host: "localhost:\(gateway.port)", path: path), to: gateway)
    }
}
