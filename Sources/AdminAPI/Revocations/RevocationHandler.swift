import Logging
import SharedState
import Store
import Tenants
import Time
import Verification

/// Revokes, withdraws and lists revocations for the admin listener. HTTP is left to ``RevocationRoutes``.
struct RevocationHandler: Sendable {
    private let live: LiveConfiguration
    private let store: any Store
    private let service: RevocationService
    private let now: @Sendable () -> UnixTime
    private let logger: Logger

    init(
        live: LiveConfiguration,
        store: any Store,
        service: RevocationService,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        logger: Logger
    ) {
        self.live = live
        self.store = store
        self.service = service
        self.now = now
        self.logger = logger
    }

    /// Adds a revocation. When this returns, the store has it and it is in force on every event loop.
    func revoke(_ body: [UInt8], _ audit: inout AuditEntry) async throws(AdminProblem) -> JSONObject {
        let request = try RevocationRequest(json: body)
        audit.note(request)
        let (tenant, _) = try live.current.named(request.tenant)
        let scope = try RevocationScope(request.selector, tenant)
        let revocations = scope.revocations(of: tenant, for: request.lifetime, reason: request.reason, at: now())
        let records: [RevocationRecord]
        do throws(StoreError) {
            records = try await service.revoke(revocations)
        } catch {
            throw storeFailed(error, "the revocation may or may not have been stored; try again")
        }
        audit.note("count", records.count)
        return ["revoked": .array(records.map(RevocationJSON.json))]
    }

    /// Withdraws a revocation. It is no error if there is none.
    func withdraw(_ body: [UInt8], _ audit: inout AuditEntry) async throws(AdminProblem) -> JSONObject {
        let request = try RevocationRequest(json: body)
        audit.note(request)
        let (tenant, _) = try live.current.named(request.tenant)
        let scope = try RevocationScope(request.selector, tenant)
        let records: [RevocationRecord]
        do throws(StoreError) {
            records = try await service.withdraw(scope.targets, tenant: tenant.name)
        } catch {
            throw storeFailed(error, "the revocation may or may not have been withdrawn; try again")
        }
        audit.note("count", records.count)
        return ["withdrawn": .array(records.map(RevocationJSON.withdrawn))]
    }

    /// A page of a tenant's revocations in force.
    func list(_ query: RevocationQuery) async throws(AdminProblem) -> JSONObject {
        let (tenant, _) = try live.current.named(query.tenant)
        do throws(StoreError) {
            let page = try await store.revocations(tenant: tenant.name, cursor: query.cursor, limit: query.limit)
            return [
                "revocations": .array(page.records.map(RevocationJSON.json)),
                "next": page.next.map(JSONValue.string) ?? .null,
            ]
        } catch {
            if query.cursor != nil, case .garbled = error {
                throw .badRequest("\"cursor\" is none that came as \"next\" with a page of this tenant")
            }
            throw storeFailed(error, "ask again")
        }
    }

    private func storeFailed(_ error: StoreError, _ advice: String) -> AdminProblem {
        logger.warning("the store failed in a request of the admin API", metadata: ["error": "\(error)"])
        return AdminProblem(.storeUnavailable, "the store failed; \(advice)")
    }
}

extension AuditEntry {
    /// Everything but the token.
    fileprivate mutating func note(_ request: RevocationRequest) {
        tenant = request.tenant
        note("kind", request.selector.kind)
        if let id = request.selector.id { note("id", id) }
        if let reason = request.reason { note("reason", reason) }
    }
}

extension RevocationRequest.Selector {
    /// Its member in the body.
    fileprivate var kind: String {
        switch self {
        case .token: "token"
        case .tokenID: "jti"
        case .subject: "subject"
        case .session: "session"
        case .all: "all"
        }
    }

    /// For the log; nil for a token.
    fileprivate var id: String? {
        switch self {
        case .tokenID(let id), .subject(let id), .session(let id): id
        case .token, .all: nil
        }
    }
}
