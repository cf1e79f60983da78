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
    func report(_ revocations: [Revocation], isSignOut: Bool, at now: UnixTime) async {
        // The tokens that are revoked together with their session are no news besides.
        let sessions = revocations.filter { if case .session = $0.target { true } else { false } }
        for revocation in sessions.isEmpty ? revocations : sessions {
            await report(revocation, as: isSignOut ? .signedOut : .revoked, at: now)
        }
    }

    private func report(_ revocation: Revocation, as type: EventType, at now: UnixTime) async {
        let tenant = revocation.tenant
        let own = issuers.sessions(ofTenantNamed: tenant)
        let reason = revocation.reason ?? (type == .signedOut ? "signed out" : "revoked")
        var details: JSONObject = ["reason": .string(reason)]
        switch revocation.target {
        case .session(let id):
            if let own, await own.reportEnd(ofSession: id, as: type, reason: reason, at: now) { return }
            await outbox.keep(.end(of: id, as: type, subject: nil, tenant: tenant, at: now, details: details))
        case .subject(let subject):
            let before = revocation.revokedAt
            if let own, await own.reportEnds(ofSubject: subject, before: before, reason: reason, at: now) { return }
            await outbox.keep(Event(type, tenant: tenant, subject: subject, at: now, details: details))
        case .token(_, let tokenID):
            details["jti"] = .string(tokenID)
            await outbox.keep(Event(type, tenant: tenant, at: now, details: details))
        case .signingInput:
            await outbox.keep(Event(type, tenant: tenant, at: now, details: details))
        case .tenant:
            details["all"] = true
            await outbox.keep(Event(type, tenant: tenant, at: now, details: details))
        }
    }
}

extension OwnIssuers {
    /// - Returns: Nil for a tenant without an issuer.
    fileprivate func sessions(ofTenantNamed name: String) -> SessionService? {
        tenants.tenantIndices.first { tenants[$0].name == name }.flatMap { services[$0] }
    }

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
