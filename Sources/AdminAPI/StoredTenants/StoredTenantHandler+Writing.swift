import ConfigurationText
import SharedState
import Tenants
import Verification

extension StoredTenantHandler {
    /// A write that was made.
    struct Written {
        var version: StoredTenantVersion
        var isNew: Bool
        /// Of the reader.
        var warnings: [Diagnostic]

        var json: JSONObject {
            var object = version.json
            object["warnings"] = .array(warnings.map { .object($0.json) })
            return object
        }
    }

    /// Stores a tenant's text, if it has no mistake. It is in force within a second.
    ///
    /// - Parameter caller: Who writes.
    func put(
        _ name: String,
        _ text: TenantText,
        _ condition: StoredTenantWrite.Condition,
        _ caller: AdminCaller,
        _ audit: inout AuditEntry
    ) async throws(AdminProblem) -> Written {
        let tenants = try check(name)
        let old = try await reading { () async throws(StoredTenantProblem) in try await tenants.tenant(name) }
        let before = old.map { TenantText($0.text) }
        let completed: TenantText
        do throws(TenantText.Mistakes) {
            completed = try text.completed(from: before)
        } catch {
            throw Self.refused(error.all.map(\.json))
        }
        try checkReach(of: completed, before, caller)
        let (judged, warnings) = try await judged(name, completed, caller)
        let write = write(of: name, condition, caller)
        let version = try await reading { () async throws(StoredTenantProblem) in
            try await tenants.put(completed.text, routes: judged.routes, write)
        }
        await written(name, version, &audit)
        return Written(version: version, isNew: old == nil, warnings: warnings)
    }

    /// Makes the text of an earlier version a new one, if the caller could write it now.
    func rollback(
        _ name: String,
        _ body: [UInt8],
        _ condition: StoredTenantWrite.Condition,
        _ caller: AdminCaller,
        _ audit: inout AuditEntry
    ) async throws(AdminProblem) -> Written {
        let tenants = try check(name)
        let body = try AdminBody(json: body, members: ["version"])
        guard let number = body["version"]?.double.flatMap({ Int(exactly: $0) }), number > 0 else {
            throw .badRequest("\"version\" must be the number of a version")
        }
        audit.note("to", number)
        let text = try await reading { () async throws(StoredTenantProblem) in
            try await tenants.text(of: name, version: number)
        }
        let isNew =
            try await reading { () async throws(StoredTenantProblem) in try await tenants.head(of: name) } == nil
        var before: TenantText?
        // Who may do all brings an old text back also where the present one cannot be opened.
        if !caller.may([.all], tenant: nil) {
            let old = try await reading { () async throws(StoredTenantProblem) in try await tenants.tenant(name) }
            before = old.map { TenantText($0.text) }
        }
        // What the text names may have been taken from it since.
        try checkReach(of: TenantText(text), before, caller)
        let (judged, warnings) = try await judged(name, TenantText(text), caller)
        let write = write(of: name, condition, caller)
        let version = try await reading { () async throws(StoredTenantProblem) in
            try await tenants.put(text, routes: judged.routes, write, rollbackTo: number)
        }
        await written(name, version, &audit)
        return Written(version: version, isNew: isNew, warnings: warnings)
    }

    /// Deletes a tenant of the store.
    func delete(
        _ name: String,
        _ condition: StoredTenantWrite.Condition,
        _ caller: AdminCaller,
        _ audit: inout AuditEntry
    ) async throws(AdminProblem) -> JSONObject {
        let tenants = try stored()
        guard case .tag = condition else { throw .badRequest("a deletion takes If-Match with the tenant's ETag") }
        guard try await reading({ () async throws(StoredTenantProblem) in try await tenants.head(of: name) }) != nil
        else { throw isInFile(name) ? Self.inFile(name) : Self.unknown(name) }
        let write = write(of: name, condition, caller)
        let version = try await reading { () async throws(StoredTenantProblem) in try await tenants.delete(write) }
        await written(name, version, &audit)
        return version.json
    }

    /// A text of a megabyte can have a hundred thousand.
    private static let mostMistakes = Findings.mostOfOne

    static func refused(_ mistakes: [JSONObject]) -> AdminProblem {
        var problem = AdminProblem(.tenantRefused, "nothing was stored; correct the mistakes and write it again")
        problem.members = ["mistakes": .array(mistakes.prefix(mostMistakes).map(JSONValue.object))]
        return problem
    }

    private func write(
        of name: String,
        _ condition: StoredTenantWrite.Condition,
        _ caller: AdminCaller
    ) -> StoredTenantWrite {
        StoredTenantWrite(
            name: name,
            condition: condition,
            by: String(caller.text.prefix(200)),
            writer: TenantWriter(caller.scopes),
            at: now()
        )
    }

    private func written(_ name: String, _ version: StoredTenantVersion, _ audit: inout AuditEntry) async {
        audit.note("version", version.number)
        await service?.announced(name)
    }
}
