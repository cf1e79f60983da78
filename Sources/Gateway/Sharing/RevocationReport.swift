import Events
import IdentityProvider
import Store
import Tenants
import Time
import Verification

/// Tells others of revocations: the webhook of `gateway.events`, and the clients of sessions that have ended by them.
struct RevocationReport: Sendable {
    let issuers: OwnIssuers
    let outbox: EventOutbox

    /// - Parameters:
    ///   - revocations: Made together.
    ///   - isSignOut: Whether somebody has signed out.
    /// - Throws: If the store has failed; to be repeated then, which makes no further events.
    func report(_ revocations: [Revocation], isSignOut: Bool, at now: UnixTime) async throws(StoreError) {
        // The tokens that are revoked together with their session are no news besides.
        let sessions = revocations.filter { if case .session = $0.target { true } else { false } }
        for revocation in sessions.isEmpty ? revocations : sessions {
            try await report(revocation, as: isSignOut ? .signedOut : .revoked, at: now)
        }
    }

    private func report(_ revocation: Revocation, as type: EventType, at now: UnixTime) async throws(StoreError) {
        let tenant = revocation.tenant
        let own = issuers.sessions(ofTenantNamed: tenant)
        let reason = revocation.reason ?? (type == .signedOut ? "signed out" : "revoked")
        var details: JSONObject = ["reason": .string(reason)]
        var subject: String?
        switch revocation.target {
        case .session(let id):
            if let own, try await own.reportEnd(ofSession: id, as: type, reason: reason, at: now) { return }
            return try await outbox.write(
                .end(of: id, as: type, subject: nil, tenant: tenant, at: now, details: details)
            )
        case .subject(let revoked):
            let before = revocation.revokedAt
            if let own, try await own.reportEnds(ofSubject: revoked, before: before, reason: reason, at: now) { return }
            subject = revoked
        case .token(_, let tokenID): details["jti"] = .string(tokenID)
        case .signingInput: break
        case .tenant: details["all"] = true
        }
        // One event for one revocation, however often it is reported.
        let once = "\(RevocationDigest(revocation.target).text) \(revocation.revokedAt.seconds)"
        try await outbox.write(Event(type, tenant: tenant, subject: subject, at: now, once: once, details: details))
    }
}

extension OwnIssuers {
    /// Those with clients that are told of logouts, by the tenant's name.
    var toldOfLogouts: [String: LogoutIssuer] {
        var issuers: [String: LogoutIssuer] = [:]
        for index in tenants.tenantIndices {
            guard let issuer = tenants[index].issuer, let keys = signingKeys(ofTenant: index) else { continue }
            var clients: [String: BackChannelLogout] = [:]
            for client in issuer.clients { clients[client.id] = client.backChannelLogout }
            guard !clients.isEmpty else { continue }
            issuers[tenants[index].name] = LogoutIssuer(url: issuer.url, keys: keys, clients: clients)
        }
        return issuers
    }
}
