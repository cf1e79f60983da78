import Foundation
import IdentityProvider
import Logging
import Store
import Synchronization
import Time
import Verification

@testable import AdminAPI
@testable import Tenants

/// Tenants for the admin handlers: `app` has keys in the store, `disk` has a directory of them, `plain` has no issuer.
final class AdminFixture: Sendable {
    static let now = UnixTime(1_800_000_000)

    let tenants: [Tenant]
    let keys: StoredKeys
    private let lines = Mutex<[String]>([])

    init(_ store: any Store = MemoryStore()) throws {
        let issuer = BuiltInIssuer(url: "https://app.test", audience: "app", algorithm: .es256)
        var onDisk = issuer
        onDisk.keysDirectory = "/etc/keys"
        tenants = [Self.tenant("app", issuer), Self.tenant("disk", onDisk), Self.tenant("plain", nil)]
        let seal = try SealingKeys(Data(repeating: 1, count: 32).base64EncodedString())
        keys = StoredKeys(issuer, tenant: "app", store: store, sealer: Sealer(seal), now: { Self.now }) { _ in }
    }

    var logger: Logger {
        Logger(label: "test") { _ in Handler { line in self.lines.withLock { $0.append(line) } } }
    }

    func problem(_ ask: () async throws(AdminProblem) -> JSONObject) async -> AdminProblem? {
        do throws(AdminProblem) {
            _ = try await ask()
            return nil
        } catch {
            return error
        }
    }

    private static func tenant(_ name: String, _ issuer: BuiltInIssuer?) -> Tenant {
        Tenant(
            name: name,
            hosts: [.exact("\(name).test")],
            backend: Backend(servers: [BackendServer(address: HostPort(host: "127.0.0.1", port: 9))]),
            authenticate: Authentication(from: [.bearer], policy: VerificationPolicy(issuers: [])),
            issuer: issuer
        )
    }

    private struct Handler: LogHandler {
        let write: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ write: @escaping @Sendable (String) -> Void) {
            self.write = write
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            write("\(event.level) \(event.message)\(metadata.joined())")
        }
    }
}
