import AccountDeletion
import Logging
import Store
import Tenants
import Time
import Verification

/// Lists deletions of accounts. HTTP is left to ``DeletionsRoutes``.
struct DeletionsHandler: Sendable {
    static let parameters = ["tenant", "subject", "state", "cursor", "limit"]
    private static let limits = 1...1000
    private static let defaultLimit = 100

    private enum State: String, CaseIterable {
        case pending
        case ended
    }

    let live: LiveConfiguration
    /// nil if no tenant's accounts are deleted.
    let deletions: @Sendable () -> (any DeletionListing)?
    let logger: Logger

    /// A page of deletions. With a filter it may have fewer than `limit`, even none, and more follow: `next` says so.
    func list(_ query: [String: String]) async throws(AdminProblem) -> JSONObject {
        if let name = query["tenant"] { _ = try live.current.named(name) }
        for name in ["subject", "cursor"] where query[name]?.isEmpty == true {
            throw .badRequest("\(name) must not be empty: leave it out")
        }
        let state = try query["state"].map(Self.state)
        let limit = try query["limit"].map(Self.limit) ?? Self.defaultLimit
        guard let listing = deletions() else { return ["deletions": []] }
        let page = try await reporting { () async throws(StoreError) in
            try await listing.deletions(after: query["cursor"], limit: limit)
        }
        let found = page.filter { deletion in
            (query["tenant"].map { $0.utf8.elementsEqual(deletion.tenant.utf8) } ?? true)
                && (query["subject"].map { $0.utf8.elementsEqual(deletion.subject.utf8) } ?? true)
                && (state.map { ($0 == .ended) == (deletion.endedAt != nil) } ?? true)
        }
        var object: JSONObject = ["deletions": .array(found.map { .object($0.report) })]
        if page.count == limit { object["next"] = page.last.map { .string($0.id) } }
        return object
    }

    func show(_ id: String) async throws(AdminProblem) -> JSONObject {
        guard Deletion.isID(id) else { throw .badRequest("an ID has 22 characters of base64url") }
        let listing = deletions()
        let found = try await reporting { () async throws(StoreError) in try await listing?.deletion(id) }
        guard let found else { throw AdminProblem(.notFound, "there is no such deletion, or no longer") }
        return found.report
    }

    private static func state(_ text: String) throws(AdminProblem) -> State {
        guard let state = State(rawValue: text) else { throw .badRequest("state is pending or ended") }
        return state
    }

    private static func limit(_ text: String) throws(AdminProblem) -> Int {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let limit = Int(text),
            limits.contains(limit)
        else { throw .badRequest("limit must be a whole number from 1 to 1000") }
        return limit
    }

    private func reporting<Result>(
        _ body: () async throws(StoreError) -> Result
    ) async throws(AdminProblem) -> Result {
        do throws(StoreError) {
            return try await body()
        } catch {
            logger.warning("deletions cannot be read", metadata: ["error": "\(error)"])
            throw AdminProblem(.storeUnavailable, "the store failed; try again")
        }
    }
}

extension Deletion {
    /// With what only operators see: the subject, the attempts and the last failure.
    fileprivate var report: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "tenant": .string(tenant), "subject": .string(subject),
            "created_at": .string(HTTPDate.rfc3339(createdAt)),
        ]
        if let endedAt { object["ended_at"] = .string(HTTPDate.rfc3339(endedAt)) }
        object["steps"] = .array(
            Step.allCases.compactMap { step in steps[step].map { .object($0.report(of: step)) } }
        )
        return object
    }
}

extension Deletion.State {
    fileprivate func report(of step: Deletion.Step) -> JSONObject {
        var object: JSONObject = ["step": .string(step.rawValue)]
        switch self {
        case .done(let time):
            object["state"] = "done"
            object["done_at"] = .string(HTTPDate.rfc3339(time))
        case .nothingToDo: object["state"] = "nothing_to_do"
        case .pending(let attempts):
            object["state"] = "pending"
            object["attempts"] = .number(JSONNumber(attempts.count))
            object["next_attempt_at"] = .string(HTTPDate.rfc3339(attempts.nextAt))
            if let failure = attempts.failure {
                var error: JSONObject = ["reason": .string(failure.reason.rawValue)]
                error["status"] = failure.status.map { .number(JSONNumber($0)) }
                error["remedy"] = failure.remedy.map(JSONValue.string)
                object["last_error"] = .object(error)
            }
        }
        return object
    }
}
