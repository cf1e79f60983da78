import IdentityProvider
import Logging
import Tenants
import Time
import TokenSigning
import Verification

/// Lists and rotates the issuers' signing keys for the admin listener. HTTP is left to ``KeysRoutes``.
struct KeysHandler: Sendable {
    private let live: LiveConfiguration
    private let storedKeys: @Sendable (TenantIndex) -> StoredKeys?
    private let now: @Sendable () -> UnixTime
    private let logger: Logger

    /// - Parameter keys: A tenant's keys in the store; nil if it has none there.
    init(
        live: LiveConfiguration,
        keys: @escaping @Sendable (TenantIndex) -> StoredKeys?,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        logger: Logger
    ) {
        self.live = live
        storedKeys = keys
        self.now = now
        self.logger = logger
    }

    /// Every key of a tenant, in the order in which they sign.
    func list(tenant name: String?) async throws(AdminProblem) -> JSONObject {
        guard let name, !name.isEmpty else { throw .badRequest("name a tenant: /api/keys?tenant=NAME") }
        let (keys, _) = try keys(of: name)
        do throws(SigningProblem) {
            return ["keys": .array(try await keys.states(at: now()).map(SigningKeyJSON.json))]
        } catch {
            throw failed(error, name)
        }
    }

    /// Makes the next key take over, or returns the plan in a dry run. When this returns, the store has the change.
    func rotate(_ body: [UInt8], _ audit: inout AuditEntry) async throws(AdminProblem) -> JSONObject {
        let body = try AdminBody(json: body, members: ["tenant", "dry_run"])
        let dryRun = try body.flag("dry_run")
        audit.isRehearsal = dryRun
        let name = try body.text("tenant")
        audit.tenant = name
        let (keys, tenant) = try keys(of: name)
        let plan: RotationPlan
        do throws(SigningProblem) {
            plan = try await keys.rotate(at: now(), dryRun: dryRun)
        } catch {
            throw failed(error, tenant)
        }
        audit.note("active", plan.activeKeyID)
        audit.note("next", plan.nextKeyID ?? "")
        audit.note("under_way", "\(plan.isUnderWay)")
        return SigningKeyJSON.json(plan, tenant: tenant, isDryRun: dryRun)
    }

    private func keys(of name: String) throws(AdminProblem) -> (StoredKeys, tenant: String) {
        let (tenant, index, issuer) = try live.current.withIssuer(name)
        if let directory = issuer.keysDirectory {
            throw AdminProblem(
                .keysElsewhere,
                "the tenant's keys are the files of its keys_dir, which the gateway does not change; make a key with "
                    + "gatehouse keys generate --algorithm \(issuer.algorithm.rawValue) --kid NAME, where NAME comes last "
                    + "in \(directory); put its public JWK there, and an hour later NAME.pem"
            )
        }
        if issuer.givenKeys != nil {
            throw AdminProblem(
                .keysElsewhere,
                "the tenant's keys are given in its issuer's key, key_file or key_files, which the gateway does not change; "
                    + "add a new key behind the old one at every instance, an hour later put it first, and leave the old "
                    + "one out when its tokens have expired"
            )
        }
        guard let keys = storedKeys(index) else {
            throw AdminProblem(.noIssuer, "the tenant's issuer has no keys in the store")
        }
        return (keys, tenant.name)
    }

    private func failed(_ problem: SigningProblem, _ tenant: String) -> AdminProblem {
        logger.warning(
            "the signing keys could not be read or rotated for the admin API",
            metadata: ["tenant": "\(tenant)", "error": "\(problem)"]
        )
        return AdminProblem(.storeUnavailable, "\(problem); the keys may have been rotated or not; ask again")
    }
}
