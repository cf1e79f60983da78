import Logging
import Store
import Tenants
import Verification

/// Revokes, takes back and lists for the admin listener: bodies in, answers out, HTTP left to ``RevocationRoutes``.
struct RevocationDesk: Sendable {
    private let tenants: [Tenant]
    private let store: any Store
    private let keeper: RevocationKeeper
    /// Unix seconds.
    private let now: @Sendable () -> Double
    private let logger: Logger

    init(
        tenants: [Tenant],
        store: any Store,
        keeper: RevocationKeeper,
        now: @escaping @Sendable () -> Double = { Clock.unix() },
        logger: Logger
    ) {
        self.tenants = tenants
        self.store = store
        self.keeper = keeper
        self.now = now
        self.logger = logger
    }

    /// Revokes what the body asks for. When this returns, the store has it and every event loop here refuses.
    func revoke(_ body: [UInt8]) async throws(AdminProblem) -> JSONObject {
        let request = try RevocationRequest(json: body)
        let tenant = try tenant(request.tenant)
        let scope = try RevocationScope(request.selector, tenant)
        let revocations = scope.revocations(of: tenant, for: request.lifetime, reason: request.reason, at: now())
        let records: [RevocationRecord]
        do throws(StoreError) {
            records = try await keeper.revoke(revocations)
        } catch {
            throw storeFailed(error, "what was to be revoked may have been or not; ask again")
        }
        note("revoked", request, count: records.count)
        return ["revoked": .array(records.map(RevocationText.json))]
    }

    /// Takes back what the body names. What was not revoked is not missed.
    func withdraw(_ body: [UInt8]) async throws(AdminProblem) -> JSONObject {
        let request = try RevocationRequest(json: body)
        let tenant = try tenant(request.tenant)
        let scope = try RevocationScope(request.selector, tenant)
        let records: [RevocationRecord]
        do throws(StoreError) {
            records = try await keeper.withdraw(scope.targets, tenant: tenant.name)
        } catch {
            throw storeFailed(error, "the revocation may have been taken back or not; ask again")
        }
        note("revocation withdrawn", request, count: records.count)
        return ["withdrawn": .array(records.map(RevocationText.withdrawn))]
    }

    /// A page of a tenant's revocations in force.
    func list(_ query: RevocationQuery) async throws(AdminProblem) -> JSONObject {
        let tenant = try tenant(query.tenant)
        do throws(StoreError) {
            let page = try await store.revocations(tenant: tenant.name, cursor: query.cursor, limit: query.limit)
            return [
                "revocations": .array(page.records.map(RevocationText.json)),
                "next": page.next.map(JSONValue.string) ?? .null,
            ]
        } catch {
            if query.cursor != nil, case .garbled = error {
                throw .badRequest("\"cursor\" is none that came as \"next\" with a page of this tenant")
            }
            throw storeFailed(error, "ask again")
        }
    }

    private func tenant(_ name: String) throws(AdminProblem) -> Tenant {
        guard let tenant = tenants.first(where: { $0.name == name }) else {
            let known = tenants.map(\.name).joined(separator: ", ")
            throw AdminProblem(.unknownTenant, "there is no such tenant; there are \(known)")
        }
        return tenant
    }

    private func storeFailed(_ error: StoreError, _ advice: String) -> AdminProblem {
        logger.warning("the store did not do what the admin API was asked", metadata: ["error": "\(error)"])
        return AdminProblem(.storeUnavailable, "the store did not answer as it should; \(advice)")
    }

    /// The line for the audit: every change, and nothing that lets anybody in.
    private func note(_ what: Logger.Message, _ request: RevocationRequest, count: Int) {
        var metadata: Logger.Metadata = [
            "tenant": "\(request.tenant)", "kind": "\(request.selector.kind)", "count": "\(count)",
        ]
        if let id = request.selector.id { metadata["id"] = "\(Self.oneLine(id))" }
        if let reason = request.reason { metadata["reason"] = "\(reason)" }
        logger.notice(what, metadata: metadata)
    }

    /// An ID comes from a token, so that whoever chose it could otherwise write lines of the log.
    private static func oneLine(_ id: String) -> String {
        String(decoding: JSONText.escaped(id), as: UTF8.self)
    }
}

extension RevocationRequest.Selector {
    /// The member of the body that it was given by.
    fileprivate var kind: String {
        switch self {
        case .token: "token"
        case .tokenID: "jti"
        case .subject: "subject"
        case .session: "session"
        case .all: "all"
        }
    }

    /// What may be logged of it.
    fileprivate var id: String? {
        switch self {
        case .tokenID(let id), .subject(let id), .session(let id): id
        case .token, .all: nil
        }
    }
}
