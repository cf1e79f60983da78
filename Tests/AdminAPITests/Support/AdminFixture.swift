import Foundation
import IdentityProvider
import Logging
import Store
import Synchronization
import Tenants
import TestSupport
import Time
import TokenSigning
import Verification

@testable import AdminAPI
@testable import Tenants

/// Tenants for the admin handlers: `app` has keys in the store, `disk` has a directory of them, `plain` has no issuer,
/// `given` has its key in a file.
final class AdminFixture: Sendable {
    static let now = UnixTime(1_800_000_000)

    let tenants: [Tenant]
    let keys: StoredKeys
    private let log = RecordedLog()

    init(_ store: any Store = MemoryStore()) throws {
        let issuer = BuiltInIssuer(url: "https://app.test", audience: "app", algorithm: .es256)
        var onDisk = issuer
        onDisk.keysDirectory = "/etc/keys"
        var given = issuer
        given.givenKeys = .files(["/etc/issuer.pem"])
        tenants = [
            Self.tenant("app", issuer), Self.tenant("disk", onDisk), Self.tenant("plain", nil),
            Self.tenant("given", given),
        ]
        let seal = try SealingKeys(Data(repeating: 1, count: 32).base64EncodedString())
        keys = StoredKeys(issuer, tenant: "app", store: store, sealer: Sealer(seal), now: { Self.now }) { _ in }
    }

    var logger: Logger { log.logger }

    func problem(_ ask: () async throws(AdminProblem) -> JSONObject) async -> AdminProblem? {
        do throws(AdminProblem) {
            _ = try await ask()
            return nil
        } catch {
            return error
        }
    }

    static func tenant(_ name: String, _ issuer: BuiltInIssuer? = nil) -> Tenant {
        Tenant(
            TenantSettings(
                name: name,
                hosts: [.exact("\(name).test")],
                backends: [Backend(servers: [BackendServer(address: HostPort(host: "127.0.0.1", port: 9))])],
                authenticate: Authentication(from: [.bearer], policy: VerificationPolicy(issuers: [])),
                issuer: issuer
            )
        )
    }
}
