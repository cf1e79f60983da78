import Redis
import TestSupport
import Testing
import Verification

/// A fleet in front of a ``RotatingProvider``, with a Redis of its own.
struct RefreshScene {
    let fleet: Instances
    let server: RedisServer
    let provider: RotatingProvider

    /// Why a request needs new tokens.
    enum Need: CaseIterable, Sendable {
        /// The access token has expired, but within `grace`.
        case expired
        /// The backend rejects the access token.
        case unauthorized
    }

    func start(_ count: Int = 3) async throws -> [Instance] {
        var all: [Instance] = []
        for _ in 0..<count { all.append(try await fleet.start(server.url)) }
        return all
    }

    /// A session whose next request needs new tokens.
    func session(_ need: Need) throws -> RotatingProvider.Pair {
        switch need {
        case .expired:
            return try provider.signIn(["iat": TestIssuer.fromNow(-4000), "exp": TestIssuer.fromNow(-400)])
        case .unauthorized:
            let pair = try provider.signIn()
            provider.end(pair.access)
            return pair
        }
    }

    /// Waits until the provider was called and as many requests as possible wait for it: if the backend rejected them
    /// first, all of them.
    func awaitWaitingRequests(_ count: Int, _ need: Need) async throws {
        try await provider.asked.next()
        if need == .unauthorized { for _ in 0..<count { try await provider.refused.next() } }
    }

    /// Waits until this many instances have requested the session's lease.
    func awaitLeaseRequests(_ count: Int) async throws {
        try await until("all instances have asked for the lease") {
            guard case .array(let entries) = try await server.send(RedisCommand("SLOWLOG", "GET", 10_000)) else {
                return false
            }
            var clients: Set<String> = []
            for case .array(let entry) in entries where entry.count >= 5 {
                guard case .array(let arguments) = entry[3], let client = entry[4].text else { continue }
                if arguments.contains(where: { $0.text?.contains("refresh-lease") == true }) {
                    clients.insert(client)
                }
            }
            return clients.count >= count
        }
    }

    /// Waits until the lease of the refreshing session was just renewed.
    func awaitLeaseRenewal() async throws {
        try await until("the lease is renewed") {
            guard case .array(let names) = try await server.send(RedisCommand("KEYS", "*refresh-lease*")),
                let name = names.first?.text,
                case .integer(let left) = try await server.send(RedisCommand("PTTL", name))
            else { return false }
            return left > 2700
        }
    }

    /// Expects Redis to contain none of the secrets.
    func expectNoSecrets() async throws {
        let everything = try await RedisReader.everything(in: server)
        let secrets = provider.secrets.compactMap { $0.split(separator: ".").last.map(String.init) }
        #expect(!everything.isEmpty, "an empty store proves nothing")
        for (name, values) in everything {
            for text in [name] + values {
                #expect(!text.contains(".eyJ"), "\(name) holds something like a token")
                #expect(!secrets.contains(where: text.contains), "\(name) holds a token")
            }
        }
    }

    /// Keys of this kind in the store.
    func stored(_ kind: String) async throws -> [String] {
        try await RedisReader.everything(in: server).keys.filter { $0.contains(kind) }
    }
}

extension RedisReply {
    fileprivate var text: String? {
        guard case .string(let bytes) = self else { return nil }
        return bytes.text
    }
}

/// Runs `test` with a scene, which is removed afterwards.
func withRefreshFleet(
    _ setup: GatewaySetup = .rotatingCookies(),
    _ test: (RefreshScene) async throws -> Void
) async throws {
    let provider = try RotatingProvider()
    try await RedisServer.run(["slowlog-log-slower-than 0", "slowlog-max-len 10000"]) { server in
        try await withInstances(setup, backend: provider.script) { fleet in
            try await attempt {
                try await test(RefreshScene(fleet: fleet, server: server, provider: provider))
            } finally: {
                provider.release()
            }
        }
    }
}

extension RotatingProvider.Pair {
    /// As ``GatewaySetup/rotatingCookies(isSealed:_:)`` has them.
    var cookies: String { "Cookie: access=\(access); rt=\(refresh)" }
    var bearer: String { "Authorization: Bearer \(access)" }
}

extension GatewaySetup {
    /// A tenant whose clients have both tokens in cookies.
    ///
    /// - Parameters:
    ///   - isSealed: Whether `GATEHOUSE_KEY` is set.
    ///   - within: How long before expiry a token is refreshed.
    ///   - more: Further keys of the tenant.
    static func rotatingCookies(isSealed: Bool = true, within: String = "0s", _ more: String = "") -> GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate: { from: ["cookie:access", bearer], issuers: [ \(TestIssuer.entry) ] }
                refresh:
                  within: \(within)
                  grace: 7d
                  from: "cookie:rt"
                  call: { path: \(RotatingProvider.refreshPath), send: refresh_token_json }
                  deliver: { cookies: { access: /access_token, rt: /refresh_token } }
                revoke_on: ["POST /logout"]
                \(more)
                """,
            sealingKeys: isSealed ? sampleSealingKey : nil
        )
    }

    /// A tenant with bearer tokens.
    ///
    /// - Parameter keys: Further keys of `refresh`.
    static func rotatingBearer(_ keys: String..., call: String, leeway: String = "60s") -> GatewaySetup {
        let all =
            keys + [
                "call: { path: \(RotatingProvider.refreshPath), \(call) }", "deliver: { header: X-Refreshed-Token }",
            ]
        return GatewaySetup(
            tenant: """
                authenticate:
                  issuers:
                    - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
                  leeway: \(leeway)
                access: [ { path: \(RotatingProvider.signInPath), allow: anyone } ]
                refresh: { \(all.joined(separator: ", ")) }
                """,
            sealingKeys: sampleSealingKey
        )
    }
}

extension Instance {
    /// One request without a body on a connection of its own.
    ///
    /// - Parameter credentials: A whole field line.
    func visit(_ target: String, method: String = "GET", _ credentials: String? = nil) async throws -> RawResponse {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: app.test", "Connection: close"]
        if method == "POST" { lines.append("Content-Length: 0") }
        if let credentials { lines.append(credentials) }
        return try await RawClient.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", method: method, at: address)
    }
}
