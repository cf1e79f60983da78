import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Verification

/// A running gateway before an app on `shop.localtest`, and pages of its neighbours: of all sites these can do the
/// most, since a browser sends them the app's cookies along. Only `front.shop.localtest` may call it.
final class CrossOriginFixture: Sendable {
    private let pagePort: String
    private let gateway: Gateway
    private let port: Int

    fileprivate init(pagePort: String) async throws {
        self.pagePort = pagePort
        gateway = Gateway(
            configuration: try Self.configuration(pagePort),
            logger: Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard
        )
        let listeners = try await gateway.start().listeners
        guard let first = listeners.first else { throw Program.Failure("no listener") }
        port = first.port
    }

    /// The app's origin.
    var site: String { "http://shop.localtest:\(port)" }

    /// The results of a page's calls; see `cross_origin.py`.
    ///
    /// - Parameter neighbour: The site of the page; nil: the app's own.
    func calls(from neighbour: String?) async throws -> JSONObject {
        let page = neighbour.map { "http://\($0).shop.localtest:\(pagePort)/open/page" } ?? "\(site)/open/page"
        let options = ["page=\(page)", "site=\(site)", "token=\(try SharedSecret.token())"]
        return try jsonLine(try await Program.python.succeed([Program.script("cross_origin")] + options))
    }

    fileprivate func shutdown() async { await gateway.shutdown() }

    private static func configuration(_ pagePort: String) throws -> TenantsConfiguration {
        let text = """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0" } ]
              threads: 1
              store: "memory:"
              shutdown_grace: 1s
              log: { access: false }
            tenants:
              shop:
                hosts: [shop.localtest]
                backend: { servers: ["http://127.0.0.1:\(pagePort)"] }
                authenticate:
                  from: [bearer, "cookie:session"]
                  issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${SECRET}" } ]
                access: [ { path: /open/**, allow: anyone } ]
                identity: { headers: { X-User-Id: sub } }
                cors:
                  origins: ["http://front.shop.localtest:\(pagePort)"]
                  credentials: true
                  expose: [X-Total]
            """
        return try TenantsConfiguration.reading(text)
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
func withCrossOriginFixture(_ test: (CrossOriginFixture) async throws -> Void) async throws {
    let app = try Program.python.start([Program.script("cross_origin_app")])
    try await attempt {
        let fixture = try await CrossOriginFixture(pagePort: try await app.line())
        try await attempt {
            try await test(fixture)
        } finally: {
            await fixture.shutdown()
        }
    } finally: {
        await app.stop()
    }
}
