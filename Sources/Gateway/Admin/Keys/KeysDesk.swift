import Issuing
import Logging
import Tenants
import Verification

/// Lists and rotates the issuers' signing keys for the admin listener: bodies in, answers out, HTTP left to
/// ``KeysRoutes``.
struct KeysDesk: Sendable {
    private let tenants: [Tenant]
    private let keys: [String: StoredKeys]
    /// Unix seconds.
    private let now: @Sendable () -> Double
    private let logger: Logger

    /// - Parameter keys: By the names of the tenants whose keys are in the store.
    init(
        tenants: [Tenant],
        keys: [String: StoredKeys],
        now: @escaping @Sendable () -> Double = { Clock.unix() },
        logger: Logger
    ) {
        self.tenants = tenants
        self.keys = keys
        self.now = now
        self.logger = logger
    }

    /// Every key of a tenant, in the order in which they sign.
    func list(tenant name: String?) async throws(AdminProblem) -> JSONObject {
        guard let name, !name.isEmpty else { throw .badRequest("name a tenant: /api/keys?tenant=NAME") }
        let (keys, _) = try keys(of: name)
        do throws(SigningProblem) {
            return ["keys": .array(try await keys.states(at: now()).map(KeysText.json))]
        } catch {
            throw failed(error, name)
        }
    }

    /// Has the next key take over, or tells what that would come to. When this returns, the store has it.
    func rotate(_ body: [UInt8]) async throws(AdminProblem) -> JSONObject {
        let body = try AdminBody(json: body, members: ["tenant", "dry_run"])
        let dryRun = try body.flag("dry_run")
        let (keys, tenant) = try keys(of: body.text("tenant"))
        let plan: RotationPlan
        do throws(SigningProblem) {
            plan = try await keys.rotate(at: now(), dryRun: dryRun)
        } catch {
            throw failed(error, tenant)
        }
        if !dryRun {
            logger.notice(
                "signing keys rotated",
                metadata: [
                    "tenant": "\(tenant)", "by": "admin", "active": "\(plan.activeKeyID)",
                    "next": "\(plan.nextKeyID ?? "")", "under_way": "\(plan.isUnderWay)",
                ]
            )
        }
        return KeysText.json(plan, tenant: tenant, isDryRun: dryRun)
    }

    private func keys(of name: String) throws(AdminProblem) -> (StoredKeys, tenant: String) {
        let (tenant, issuer) = try tenants.withIssuer(name)
        if let directory = issuer.keysDirectory {
            throw AdminProblem(
                .keysElsewhere,
                "the tenant's keys are the files of its keys_dir, which the gateway does not change; make a key with "
                    + "gatehouse keys generate --algorithm \(issuer.algorithm.rawValue) --kid NAME, where NAME comes last "
                    + "in \(directory); put its public JWK there, and an hour later NAME.pem"
            )
        }
        guard let keys = keys[tenant.name] else {
            throw AdminProblem(.noIssuer, "the tenant's issuer has no keys in the store")
        }
        return (keys, tenant.name)
    }

    private func failed(_ problem: SigningProblem, _ tenant: String) -> AdminProblem {
        logger.warning(
            "the signing keys could not be had for the admin API",
            metadata: ["tenant": "\(tenant)", "error": "\(problem)"]
        )
        return AdminProblem(.storeUnavailable, "\(problem); the keys may have been rotated or not; ask again")
    }
}
