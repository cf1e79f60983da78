import Demo
import Foundation
import Gateway
import Logging
import Synchronization
import Tenants
import TestSupport
import Time
import Verification

/// A running gateway with an admin listener, and its dashboard in Chromium.
///
/// Its tenants: `shop` on `shop.localtest`, whose tokens have a shared secret, and `clans` on `clans.localtest`, which
/// has an issuer of its own.
final class DashboardFixture: Sendable {
    private static let adminToken = "an-admin-token-of-the-dashboard"
    private static let providerKeys = Result { try ProviderKeys.generate() }

    private let provider: ProviderStandIn
    private let gateway: Gateway
    private let site: String
    private let admin: String

    /// - Parameter further: How many tenants there are beside, `more-0` and so on, with routes.
    fileprivate init(appPort: String, _ provider: ProviderStandIn, further: Int) async throws {
        self.provider = provider
        var configuration = try TenantsConfiguration.reading(
            Self.text(appPort: appPort) + Self.further(further, appPort: appPort),
            environment: ["ADMIN_TOKEN": Self.adminToken]
        )
        for index in configuration.tenants.indices { provider.apply(to: &configuration.tenants[index]) }
        gateway = Gateway(
            configuration: configuration,
            logger: Logger(label: "dashboard") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard,
            sealingKeys: Secret(Data(repeating: 7, count: 32).base64EncodedString()),
            reading: Self.reading(appPort: appPort)
        )
        let bound = try await gateway.start()
        guard let listener = bound.listeners.first, let admin = bound.admin else {
            throw Program.Failure("no listener")
        }
        site = "http://\(listener)"
        self.admin = "http://\(admin)"
    }

    /// The result of a scenario of `dashboard.py`.
    func plays(_ scenario: String) async throws -> JSONObject {
        let google = try provider.googleIDToken(
            subject: "google-alice",
            email: "alice@example.com",
            audience: "clans.apps.example"
        )
        let options = [
            "admin=\(admin)", "token=\(Self.adminToken)", "site=\(site)", "caller=\(try caller())", "google=\(google)",
        ]
        return try jsonLine(try await Program.python.succeed([Program.script("dashboard"), scenario] + options))
    }

    /// The first line with `text` that a command of the documents prints; the command is ended then.
    ///
    /// - Parameter command: For a shell; the admin listener of the documents is this gateway's.
    func line(with text: String, of command: String) async throws -> String {
        let command = command.replacing("http://127.0.0.1:9901", with: admin)
        let shell = Program(path: "/bin/sh", package: "dash")
        let running = try shell.start(["-c", "GATEHOUSE_ADMIN_TOKEN=\(Self.adminToken); exec \(command)"])
        do {
            let line = try await running.line(with: text)
            await running.stop()
            return line
        } catch {
            await running.stop()
            throw error
        }
    }

    /// The arguments of `screenshots.py`.
    func pictured(seconds: Int) throws -> [String] {
        [admin, Self.adminToken, site, try caller(), "\(seconds)", "shop"]
    }

    /// A token of the shop's.
    private func caller() throws -> String {
        try SharedSecret.token(["jti": "the-callers"])
    }

    fileprivate func shutdown() async { await gateway.shutdown() }

    fileprivate static func provider() throws -> ProviderStandIn {
        ProviderStandIn(
            keys: try providerKeys.get(),
            logger: Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() }
        ) {
            UnixTime(Date().timeIntervalSince1970)
        }
    }

    /// The first reload meets a mistake, later ones a `shop` that waits longer for the store, and no `clans`.
    private static func reading(appPort: String) -> Gateway.Reading {
        let reloads = Mutex(0)
        let text = text(appPort: appPort)
        let shop = text.prefix(upTo: text.range(of: "  clans:")?.lowerBound ?? text.endIndex)
        return { request in
            let count = reloads.withLock { reloads in
                if !request.isTrial, request.stored.isEmpty { reloads += 1 }
                return reloads
            }
            // Changes of the store's tenants find the file as it was.
            let isAsBefore = request.isTrial || !request.stored.isEmpty
            let staleness = count == 1 ? "soon" : "20m"
            return TenantsFile.read(
                text: Array((isAsBefore ? text : "\(shop)    max_staleness: \(staleness)\n").utf8),
                path: "tenants.yaml",
                environment: ["ADMIN_TOKEN": adminToken, "SECRET": SharedSecret.value],
                files: DiskFiles(),
                further: request.further
            )
        }
    }

    private static func further(_ count: Int, appPort: String) -> String {
        (0..<count).map { number in
            """
              more-\(number):
                hosts: [more-\(number).localtest]
                backends:
                  default: { servers: ["http://127.0.0.1:\(appPort)"] }
                  api: { servers: ["http://127.0.0.1:\(appPort)"] }
                routes:
                  - { path: /api/**, methods: [GET], backend: api, rewrite: "/v2/**" }
                  - { path: /never/**, backend: default }
                authenticate:
                  from: [bearer]
                  issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${SECRET}" } ]
                access: [ { path: /**, allow: anyone } ]

            """
        }.joined()
    }

    private static func text(appPort: String) -> String {
        """
        version: 1
        gateway:
          listen: [ { address: "127.0.0.1:0" } ]
          admin: { address: "127.0.0.1:0", token: "${ADMIN_TOKEN}" }
          tenants: [files, store]
          threads: 1
          store: "memory:"
          shutdown_grace: 1s
          log: { access: false }
        tenants:
          shop:
            hosts: [shop.localtest]
            backend: { servers: ["http://127.0.0.1:\(appPort)"] }
            authenticate:
              from: [bearer]
              issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${SECRET}" } ]
            access:
              - { path: /things/never/**, methods: [GET, POST], allow: { roles: [admin, keeper], scopes: [things] } }
              - { path: /admin/**, allow: { roles: [admin] } }
          clans:
            hosts: [clans.localtest]
            backend: { servers: ["http://127.0.0.1:\(appPort)"] }
            authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
            issuer: { url: "https://clans.localtest", audience: clans-api, algorithm: ES256 }
            sign_in: { google: { path: /auth/google, client_ids: [clans.apps.example], then: issue } }

        """
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
///
/// - Parameter further: See ``DashboardFixture``.
func withDashboardFixture(further: Int = 0, _ test: (DashboardFixture) async throws -> Void) async throws {
    let provider = try DashboardFixture.provider()
    let app = try Program.python.start([Program.script("sign_in_app")])
    try await attempt {
        try await provider.start()
        let fixture = try await DashboardFixture(appPort: try await app.line(), provider, further: further)
        try await attempt {
            try await test(fixture)
        } finally: {
            await fixture.shutdown()
        }
    } finally: {
        await provider.shutdown()
        await app.stop()
    }
}
