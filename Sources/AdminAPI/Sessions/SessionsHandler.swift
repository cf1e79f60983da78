import IdentityProvider
import Logging
import Tenants
import Time
import Verification

/// Lists and ends the issuers' sessions for the admin listener. HTTP is left to ``SessionsRoutes``.
struct SessionsHandler: Sendable {
    fileprivate enum Selector {
        case session(String)
        case subject(String)
    }

    /// The recorded reason for the end of a session.
    private static let reason = "ended by an administrator"

    private let live: LiveConfiguration
    private let listing: @Sendable (TenantIndex) -> (any SessionListing)?
    private let now: @Sendable () -> UnixTime
    private let logger: Logger

    /// - Parameter sessions: A tenant's sessions; nil if it has no issuer.
    init(
        live: LiveConfiguration,
        sessions: @escaping @Sendable (TenantIndex) -> (any SessionListing)?,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        logger: Logger
    ) {
        self.live = live
        listing = sessions
        self.now = now
        self.logger = logger
    }

    /// Lists active sessions.
    ///
    /// - Parameter query: `tenant`, and `session` or `subject`.
    func list(_ query: [String: String]) async throws(AdminProblem) -> JSONObject {
        guard let name = query["tenant"], !name.isEmpty else {
            throw .badRequest("name a tenant: /api/sessions?tenant=NAME&subject=ID")
        }
        let selector = try Self.selector(session: query["session"], subject: query["subject"])
        let found = try await find(selector, in: sessions(of: name))
        return ["sessions": .array(found.map(Self.json))]
    }

    /// Ends sessions. When this returns, the store has the change, and their access tokens are refused here.
    ///
    /// - Returns: The sessions that were active.
    func end(_ body: [UInt8], _ audit: inout AuditEntry) async throws(AdminProblem) -> JSONObject {
        let body = try AdminBody(json: body, members: ["tenant", "session", "subject"])
        let name = try body.text("tenant")
        let selector = try Self.selector(
            session: body.has("session") ? body.text("session") : nil,
            subject: body.has("subject") ? body.text("subject") : nil
        )
        audit.note(selector, of: name)
        let sessions = try sessions(of: name)
        let found = try await find(selector, in: sessions)
        try await reporting { () async throws(IssuingError) in
            switch selector {
            case .session(let id): try await sessions.end(sessionID: id, at: now(), reason: Self.reason)
            case .subject(let id):
                let now = now()
                try await sessions.endAll(ofSubject: id, before: now, at: now, reason: Self.reason)
            }
        }
        audit.note("count", found.count)
        return ["ended": .array(found.map(Self.json))]
    }

    private func find(
        _ selector: Selector,
        in sessions: any SessionListing
    ) async throws(AdminProblem) -> [IssuerSession] {
        try await reporting { () async throws(IssuingError) in
            switch selector {
            case .session(let id): try await sessions.session(id, at: now()).map { [$0] } ?? []
            case .subject(let id): try await sessions.sessions(ofSubject: id, at: now())
            }
        }
    }

    private func sessions(of name: String) throws(AdminProblem) -> any SessionListing {
        let (_, index, _) = try live.current.withIssuer(name)
        guard let sessions = listing(index) else {
            throw AdminProblem(.noIssuer, "the tenant's issuer keeps no sessions")
        }
        return sessions
    }

    private static func selector(session: String?, subject: String?) throws(AdminProblem) -> Selector {
        switch (session, subject) {
        case (let id?, nil) where !id.isEmpty: return .session(id)
        case (nil, let id?) where !id.isEmpty: return .subject(id)
        default: throw .badRequest("give exactly one of session and subject, and not an empty one")
        }
    }

    private func reporting<Result>(
        _ body: () async throws(IssuingError) -> Result
    ) async throws(AdminProblem) -> Result {
        do throws(IssuingError) {
            return try await body()
        } catch {
            logger.warning("sessions could not be read or ended", metadata: ["error": "\(error)"])
            throw AdminProblem(
                .storeUnavailable,
                "the store failed; the sessions may or may not have been ended; try again"
            )
        }
    }

    private static func json(_ session: IssuerSession) -> JSONValue {
        var object: JSONObject = ["session": .string(session.id), "subject": .string(session.subject)]
        object["client_id"] = session.clientID.map(JSONValue.string)
        object["device"] = session.device.map(JSONValue.string)
        object["ip"] = session.address.map(JSONValue.string)
        object["provider"] = session.provider.map(JSONValue.string)
        object["created_at"] = .string(HTTPDate.rfc3339(session.createdAt))
        object["last_used_at"] = .string(HTTPDate.rfc3339(session.lastUsedAt))
        object["expires_at"] = .string(HTTPDate.rfc3339(session.expiresAt))
        return .object(object)
    }
}

extension AuditEntry {
    fileprivate mutating func note(_ selector: SessionsHandler.Selector, of tenant: String) {
        self.tenant = tenant
        switch selector {
        case .session(let id):
            note("kind", "session")
            note("id", id)
        case .subject(let id):
            note("kind", "subject")
            note("id", id)
        }
    }
}
