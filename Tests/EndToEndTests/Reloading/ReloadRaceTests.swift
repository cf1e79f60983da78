import Gateway
import Synchronization
import TestSupport
import Testing
import Verification

/// Reloads while refreshes, uploads, WebSockets, revocations and outages of the store are under way.
@Suite(.serialized, .timeLimit(.minutes(4))) struct ReloadRaceTests {
    private static let rules = """
        authenticate: { from: ["cookie:access", bearer], issuers: [ \(TestIssuer.entry) ] }
        access:
          - { path: /admin/**, allow: { roles: [admin] } }
          - { path: /open/**, allow: anyone }
        refresh:
          grace: 7d
          from: "cookie:rt"
          call: { path: \(RotatingProvider.refreshPath), send: refresh_token_json }
          deliver: { cookies: { access: /access_token, rt: /refresh_token } }
        """

    private static func setup(_ turn: Int, store: String) -> GatewaySetup {
        var setup = GatewaySetup(gateway: "store: \"\(store)\"\nthreads: 2", sealingKeys: GatewaySetup.sampleSealingKey)
        let more = ["max_staleness: 10m", "max_staleness: 11m\nlimits: { replay_bytes: 32KiB }", "max_staleness: 12m"]
        setup.tenant = rules + "\n" + more[turn % more.count]
        if turn.isMultiple(of: 2) {
            setup.others = """
                t\(turn % 6):
                  hosts: [t\(turn % 6).test]
                  backend: { servers: ["{other}"] }
                  authenticate:
                    from: [bearer]
                    issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
                """
        }
        return setup
    }

    private static func script(_ provider: RotatingProvider) -> BackendScript {
        let rest = provider.script
        return BackendScript { exchange in
            switch exchange.head.path {
            case "/open/upload":
                let count = try await exchange.body().bytes.count
                try await exchange.sendOK("\(count)")
            case "/admin/x": try await exchange.sendOK("secret")
            case "/socket":
                try await exchange.body()
                try await exchange.send(Handshake.granted())
                try await exchange.gone()
            default: try await rest.run(exchange)
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func concurrentReloadsOutagesAndRevocationsLoseNothing(_ seed: UInt64) async throws {
        let provider = try RotatingProvider()
        try await RedisServer.run { server in
            try await withGateway(Self.setup(1, store: server.url), backend: Self.script(provider)) {
                fixture async throws in
                let race = ReloadRace(fixture: fixture, provider: provider)
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<3 { tasks.addTask { try await race.refresh() } }
                    for _ in 0..<2 { tasks.addTask { try await race.upload() } }
                    for _ in 0..<2 { tasks.addTask { try await race.intrude() } }
                    tasks.addTask { try await race.revoke() }
                    var random = SplitMix64(seed: seed)
                    var applied = 0
                    for turn in 0..<40 {
                        switch turn {
                        case 12:
                            server.process.pause()
                            try await race.outageIsNoticed()
                        case 16:
                            server.process.resume()
                            try await race.storeIsBack()
                        case 24:
                            try await server.process.kill()
                            try await race.outageIsNoticed()
                        case 28:
                            try await server.restart()
                            try await race.storeIsBack()
                        default: break
                        }
                        let choice = Int.random(in: 0..<6, using: &random)
                        let report = await fixture.reload(Self.setup(choice, store: server.url))
                        if report.result == .applied { applied += 1 }
                        #expect(report.mistakes.isEmpty)
                    }
                    #expect(applied >= 20, "the reloads are what this is about")
                    race.isOver.turn(on: true)
                    try await tasks.waitForAll()
                }
                #expect(race.refreshed.value > 0 && race.revoked.value > 1 && race.unstored.value > 1)
                try await race.expectWholeAgain()
            }
        }
    }
}

/// The load during the reloads.
private struct ReloadRace {
    let fixture: GatewayFixture
    let provider: RotatingProvider
    let isOver = Switch(false)
    /// Revocations that the store took, and those that it did not.
    let revoked = Tally()
    let unstored = Tally()
    let refreshed = Tally()

    /// Waits until a revocation is refused because of the store.
    func outageIsNoticed() async throws {
        let before = unstored.value
        try await until("a revocation is refused") {
            // The other tasks continue in the meantime.
            _ = try await fixture.request("/open/free")
            return unstored.value > before
        }
    }

    /// Waits until the store has taken a revocation.
    func storeIsBack() async throws {
        let before = revoked.value
        try await until("a revocation is stored") {
            _ = try await fixture.request("/open/free")
            return revoked.value > before
        }
    }

    /// A browser whose access token is rejected now and then. It must never be signed out.
    func refresh() async throws {
        var pair = try provider.signIn()
        var count = 0
        while !isOver.isOn || count == 0 {
            count += 1
            if count.isMultiple(of: 3) { provider.end(pair.access) }
            let response = try await fixture.request("/x", fields: [pair.cookies])
            switch response.status {
            case 200: break
            case 401: #expect(response.fields["X-Of-The-Backend"] == ["1"], "\(response.body.text)")
            case 503: #expect(Problem(response)?.code == "store_unavailable")
            default: Issue.record("\(response.status) \(response.body.text)")
            }
            let cookies = response.fields["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
            for cookie in cookies {
                let value = String(cookie.drop { $0 != "=" }.dropFirst())
                #expect(!value.isEmpty, "signed out: \(cookie)")
                if cookie.hasPrefix("access=") { pair.access = value }
                if cookie.hasPrefix("rt=") { pair.refresh = value }
            }
            if response.status == 200, !cookies.isEmpty { refreshed.add(1) }
        }
    }

    func upload() async throws {
        let body = String(repeating: "u", count: 4000)
        var count = 0
        while !isOver.isOn || count == 0 {
            count += 1
            let client = try await fixture.connect()
            let head = fixture.head("/open/upload", method: "POST", fields: ["Content-Length: \(body.utf8.count)"])
            try await client.send(head + body.prefix(2000))
            try await client.send(String(body.dropFirst(2000)))
            let response = try await client.response(to: "POST")
            #expect(response.status == 200 && response.body.text == "4000", "\(response.status) \(response.body.text)")
            await client.close()
        }
    }

    func intrude() async throws {
        let token = try fixture.token(["iss": "https://secret.test", "roles": ["user"]])
        let forged = String(token.dropLast(4)) + "AAAA"
        var count = 0
        while !isOver.isOn || count == 0 {
            count += 1
            expectRefusal(try await fixture.request("/x"), 401, "missing_token")
            expectRefusal(try await fixture.request("/admin/x"), 401, "missing_token")
            expectRefusal(try await fixture.request("/admin/x", token: token), 403, "insufficient_role")
            expectRefusal(try await fixture.request("/admin/x", token: forged), 401, "invalid_token")
        }
    }

    /// Revokes sessions, each with a WebSocket that must end.
    func revoke() async throws {
        var count = 0
        while !isOver.isOn || count == 0 {
            count += 1
            let session = "race-\(count)"
            let pair = try provider.signIn(["sid": .string(session)])
            let socket = try await fixture.connect()
            let fields = Handshake.fields + ["Authorization: Bearer \(pair.access)"]
            try await socket.send(fixture.head("/socket", fields: fields))
            #expect(try await socket.head().status == 101)
            let response = try await fixture.revocations("POST", body: #"{"tenant":"app","session":"\#(session)"}"#)
            // During an outage nothing is acknowledged and nothing has to hold.
            guard response.status != 503 else {
                unstored.add(1)
                await socket.close()
                continue
            }
            #expect(response.status == 200 || response.status == 201, "\(response.status) \(response.body.text)")
            _ = try await socket.untilClosed()
            for _ in 0..<5 {
                let refused = try await fixture.request("/x", token: pair.access)
                expectRefusal(refused, 401, "token_revoked")
            }
            await socket.close()
            revoked.add(1)
        }
    }

    func expectWholeAgain() async throws {
        #expect(provider.reuses == 0)
        let pair = try provider.signIn()
        provider.end(pair.access)
        try await until("refreshes work again") {
            try await fixture.request("/x", fields: [pair.cookies]).status == 200
        }
    }
}
