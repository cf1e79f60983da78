import Foundation
import Gateway
import Logging
import Synchronization
import Tenants
import Verification

/// A gateway with a gRPC listener for queries, for the app `app` on `app.test`.
final class ExtAuthzGateway: Sendable {
    /// Of the listener for queries.
    let port: Int
    private let gateway: Gateway
    private let accessLog: AccessLines

    fileprivate init(trusting proxies: String) async throws {
        let accessLog = AccessLines()
        self.accessLog = accessLog
        gateway = Gateway(
            configuration: try Self.configuration(proxies),
            logger: Logger(label: "ext_authz") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .sink { accessLog.add($0) }
        )
        guard let port = try await gateway.start().extAuthz?.port else { throw Program.Failure("no listener") }
        self.port = port
    }

    func token(role: String? = "customer") throws -> String {
        try SharedSecret.token(role.map { ["role": .string($0)] } ?? [:])
    }

    /// - Returns: The lines of the access log, which are all written then.
    @discardableResult
    func shutdown() async throws -> [JSONObject] {
        await gateway.shutdown()
        return try accessLog.all()
    }

    private static func configuration(_ proxies: String) throws -> TenantsConfiguration {
        let text = """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0" } ]
              ext_authz: { address: "127.0.0.1:0" }
              trusted_proxies: [\(proxies)]
              threads: 2
              store: "memory:"
              shutdown_grace: 5s
            tenants:
              app:
                hosts: [app.test]
                backend: { servers: ["http://127.0.0.1:9"] }
                authenticate:
                  from: [bearer, "cookie:session", "query:access_token"]
                  issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${SECRET}" } ]
                access:
                  - { path: /open/anyone, allow: anyone }
                  - { path: /admin/**, allow: { roles: [admin] } }
                identity: { headers: { X-User-Id: sub, X-User-Role: role }, token: strip }
            """
        return try TenantsConfiguration.reading(text)
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
///
/// - Parameter proxies: Addresses that may send queries.
func withExtAuthzGateway(
    trusting proxies: String = "127.0.0.1/32",
    _ test: (ExtAuthzGateway) async throws -> Void
) async throws {
    let fixture = try await ExtAuthzGateway(trusting: proxies)
    do {
        try await test(fixture)
    } catch {
        try await fixture.shutdown()
        throw error
    }
    try await fixture.shutdown()
}

private final class AccessLines: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    func all() throws -> [JSONObject] {
        try bytes.withLock { $0 }.split(separator: 0x0a).map { try jsonLine(String(decoding: $0, as: UTF8.self)) }
    }
}
