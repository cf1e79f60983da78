import ConfigurationText
import Logging
import SharedState
import Store
import Tenants
import Time
import Verification

/// Reads and writes the tenants of the store for the admin listener. HTTP is left to ``StoredTenantRoutes``.
struct StoredTenantHandler: Sendable {
    let live: LiveConfiguration
    /// Nil if `gateway.tenants` does not have the store.
    let service: StoredTenantService?
    /// As ``AdministeredGateway/judge(_:)``.
    let judge: @Sendable ([TenantSource]) async -> ReadResult?
    /// What is wrong with tenants of the store, by name.
    let faulty: @Sendable () -> [String: [Diagnostic]]
    let now: @Sendable () -> UnixTime
    let logger: Logger
    let counterparts = StoredCounterparts()

    init(
        live: LiveConfiguration,
        service: StoredTenantService?,
        judge: @escaping @Sendable ([TenantSource]) async -> ReadResult?,
        faulty: @escaping @Sendable () -> [String: [Diagnostic]],
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        logger: Logger
    ) {
        self.live = live
        self.service = service
        self.judge = judge
        self.faulty = faulty
        self.now = now
        self.logger = logger
    }

    /// A tenant, of a file or of the store.
    func tenant(_ name: String) async throws(AdminProblem) -> TenantDocument {
        let configuration = live.current.configuration
        if isInFile(name) {
            guard let tenant = configuration.document?.tenant(name) else { throw Self.unknown(name) }
            return TenantDocument(
                name: name,
                source: .files,
                head: nil,
                text: tenant.withoutSecrets ?? "",
                tenant: tenant.json ?? [:],
                mistakes: []
            )
        }
        guard let service else { throw Self.unknown(name) }
        guard
            let stored = try await reading({ () async throws(StoredTenantProblem) in
                try await service.tenants.tenant(name)
            })
        else { throw Self.unknown(name) }
        let text = TenantText(stored.text)
        return TenantDocument(
            name: name,
            source: .store,
            head: stored.head,
            text: text.withoutSecrets ?? "",
            tenant: text.json ?? [:],
            mistakes: faulty()[name] ?? []
        )
    }

    /// The versions that are kept, the newest first; of a deleted tenant too.
    func versions(_ name: String) async throws(AdminProblem) -> JSONObject {
        let tenants = try stored()
        let versions = try await reading { () async throws(StoredTenantProblem) in try await tenants.versions(of: name)
        }
        guard !versions.isEmpty else { throw isInFile(name) ? Self.inFile(name) : Self.unknown(name) }
        return ["name": .string(name), "versions": .array(versions.map { .object($0.json) })]
    }

    /// The text of a version, without secrets.
    func version(_ name: String, _ number: String) async throws(AdminProblem) -> JSONObject {
        let tenants = try stored()
        guard let number = Int(number), number > 0 else { throw .badRequest("a version is a number, from 1") }
        let text = try await reading { () async throws(StoredTenantProblem) in
            try await tenants.text(of: name, version: number)
        }
        return [
            "name": .string(name), "version": .number(JSONNumber(number)),
            "yaml": .string(TenantText(text).withoutSecrets ?? ""),
        ]
    }

    // MARK: Shared

    /// - Throws: If tenants come from files alone.
    func stored() throws(AdminProblem) -> StoredTenants {
        guard let service else {
            throw AdminProblem(
                .tenantsNotStored,
                "tenants come from tenants.yaml alone: set gateway.tenants to [files, store] and restart"
            )
        }
        return service.tenants
    }

    func isInFile(_ name: String) -> Bool {
        let snapshot = live.current
        return snapshot.index(of: name).map { !snapshot.tenants[$0].isStored } ?? false
    }

    static func unknown(_ name: String) -> AdminProblem {
        AdminProblem(.unknownTenant, "there is no such tenant; GET /api/tenants lists them")
    }

    static func inFile(_ name: String) -> AdminProblem {
        AdminProblem(
            .tenantInFile,
            "\(name) is in tenants.yaml, which wins: change it there, or take it out of the file first"
        )
    }

    func reading<Result>(
        _ body: () async throws(StoredTenantProblem) -> Result
    ) async throws(AdminProblem) -> Result {
        do throws(StoredTenantProblem) { return try await body() } catch { throw problem(error) }
    }

    /// - Returns: The problem as clients see it; the store's reason is in the log.
    func problem(_ problem: StoredTenantProblem) -> AdminProblem {
        switch problem {
        case .unknown: return AdminProblem(.unknownTenant, "there is no such tenant; GET /api/tenants lists them")
        case .changed(let current):
            var problem = AdminProblem(
                .versionChanged,
                current == nil
                    ? "there is no such tenant any more; use If-None-Match: * to create it"
                    : "there is another version by now: read it, and make your change on it"
            )
            problem.members = ["etag": current.map { .string("\"\($0.tag)\"") } ?? .null]
            return problem
        case .exists(let head):
            var problem = AdminProblem(.versionChanged, "there is this tenant already: use If-Match with its ETag")
            problem.members = ["etag": .string("\"\(head.tag)\"")]
            return problem
        case .routeTaken(let route, let other):
            return Self.hostTaken(route, by: other)
        case .unknownVersion(let number):
            return AdminProblem(
                .notFound,
                "there is no text of version \(number); …/versions lists those that are kept"
            )
        case .full:
            return AdminProblem(.tooManyTenants, "there are \(StoredTenants.limit) stored tenants: delete one first")
        case .noSealingKey:
            return AdminProblem(
                .noSealingKey,
                "tenants are sealed in the store, and GATEHOUSE_KEY is not set: set it on every instance and restart"
            )
        case .store(let error):
            logger.warning("the store failed in a request of the admin API", metadata: ["error": "\(error)"])
            return AdminProblem(.storeUnavailable, "the store failed; a write may or may not have been made")
        }
    }

    static func hostTaken(_ route: String, by other: String) -> AdminProblem {
        var problem = AdminProblem(.hostTaken, "\(route) is tenant \(other)'s: give one of them another host")
        problem.members = ["tenant": .string(other)]
        return problem
    }
}
