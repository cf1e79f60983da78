import ConfigurationText
import Tenants
import Time
import Verification

/// Notes on a caller's token.
extension Explanation {
    func note(_ finding: TokenFinder.Finding, _ tenant: Tenant) {
        let line = tenant.lines["authenticate.from"] ?? tenant.lines["authenticate"]
        switch finding {
        case .missing:
            let locations = tenant.authenticate.from.map(\.location).joined(separator: ", ")
            note(.token, "no token; looked for as \(locations)", line: line)
        case .several:
            note(
                .token,
                "two different tokens in one place: nobody could say which of them the backend goes by",
                line: line
            )
        case .token(_, let index):
            note(
                .token,
                "the token is found as \(tenant.authenticate.from[index].location)",
                line: tenant.lines["authenticate.from[\(index)]"] ?? tenant.lines["authenticate"]
            )
        }
    }

    func note(
        _ authentication: Authorizer.Authentication,
        of token: Span<UInt8>,
        _ runtime: TenantRuntime,
        at now: UnixTime
    ) {
        let tenant = runtime.tenant
        switch authentication {
        case .verified(let caller):
            let end = caller.principal.expiresAt.map { ", expires \(Self.time($0))" } ?? ", never expires"
            note(.verify, "the token is good: \(Self.description(caller.principal))\(end)", line: line(caller, tenant))
            noteMapping(of: token, caller, tenant)
            noteAdoption(caller, tenant)
        case .expired(let caller):
            note(
                .verify,
                "all is good but the token's age: \(Self.description(caller.principal)), expired "
                    + Self.time(caller.principal.expiresAt ?? now),
                line: line(caller, tenant)
            )
            noteMapping(of: token, caller, tenant)
        case .refused(let refusal): noteRefused(refusal, token, runtime)
        case .needs(.keys):
            note(.verify, "the keys of the token's issuer are not at hand: they are asked for")
        case .unproven, .needs(.signature), .needs(.introspection), .needs(.proof), .needs(.refresh): break
        }
    }

    func note(_ status: TenantRevocations.Status, _ tenant: Tenant) {
        if isOffline {
            return note(
                .revocation,
                "not looked up: revocations are known to the running gateway, which --admin URL asks"
            )
        }
        switch status {
        case .good: note(.revocation, "neither the token nor its session nor its subject is revoked")
        case .revoked: note(.revocation, "the token, its session or its subject was revoked")
        case .unknown:
            note(
                .revocation,
                "the copy of the revocations is older than max_staleness, and on_store_failure is deny",
                line: tenant.lines["on_store_failure"] ?? tenant.lines["max_staleness"]
            )
        }
    }

    /// Only the expiry is wrong, and the session could be refreshed.
    func noteRefresh(_ tenant: Tenant) {
        note(
            .verify,
            "the session can be refreshed: a request like this gets new tokens first and is then decided on by those; "
                + "that is not tried here",
            line: tenant.lines["refresh"]
        )
    }

    /// The token is a former issuer's, whose sessions become the tenant's own.
    private func noteAdoption(_ caller: Caller, _ tenant: Tenant) {
        noteOtherClient(caller, tenant)
        guard caller.adoptedFrom != .distantFuture, let refresh = tenant.refresh, let issuer = tenant.issuer else {
            return
        }
        note(
            .verify,
            "its issuer is a former one: the first request with a token of its session gets a session of "
                + "\(Self.shown(issuer.url)) with the response, \(Self.ways(refresh, tenant)); that is not tried here",
            line: tenant.lines["refresh"]
        )
    }

    /// The token is a former issuer's too, but made for an app of somebody else.
    private func noteOtherClient(_ caller: Caller, _ tenant: Tenant) {
        guard let refresh = tenant.refresh,
            refresh.adopted.contains(where: { $0.utf8.elementsEqual(caller.principal.issuer.utf8) }),
            let client = AdoptedTokens.otherClient(caller.principal, refresh)
        else { return }
        note(
            .verify,
            "its issuer is a former one, but it was made for the client \(Self.shown(client)), which is none of "
                + "\"adopt_clients\": it brings no session",
            line: tenant.lines["refresh"]
        )
    }

    /// How clients get the tokens of a session that is theirs instead of a former one.
    private static func ways(_ refresh: RefreshRules, _ tenant: Tenant) -> String {
        let cookies = refresh.delivery.cookies.map(\.name)
        let sources = tenant.authenticate.from.filter(refresh.deliversSessions)
        let usesCookies = sources.contains { if case .cookie = $0, !cookies.isEmpty { true } else { false } }
        var ways: [String] = []
        if let header = refresh.delivery.header {
            var way = "in the field \(header)"
            if case .cookie(let name) = refresh.source, cookies.contains(name) {
                way += " (and in the cookie \(name), if the request has one)"
            }
            ways.append(way)
        }
        if usesCookies { ways.append("in the cookies \(cookies.joined(separator: ", ")) for a token in a cookie") }
        return ways.joined(separator: " or ")
    }

    private func noteRefused(_ refusal: Refusal, _ token: Span<UInt8>, _ runtime: TenantRuntime) {
        let tenant = runtime.tenant
        let claims = (try? UnverifiedToken(token)).flatMap { try? $0.claims() }
        guard let issuer = claims?["iss"]?.string,
            let index = tenant.authenticate.policy.index(ofIssuer: issuer)
        else {
            var text = refusal.detail
            if let issuer = claims?["iss"]?.string {
                text += ": it says that it is of \(Self.shown(issuer)); trusted are "
                text += Self.list(tenant.authenticate.policy.issuers.map(\.issuer))
            }
            return note(.verify, text, line: tenant.lines["authenticate.issuers"] ?? tenant.lines["authenticate"])
        }
        let policy = tenant.authenticate.policy.issuers[index]
        var text = "\(refusal.detail): it says that it is of \(Self.shown(issuer))"
        if let audiences = claims.flatMap(policy.audiences(in:)), !policy.audiences.isEmpty,
            !audiences.contains(where: { name in policy.audiences.contains { $0.utf8.elementsEqual(name.utf8) } })
        {
            text += ", for \(Self.list(audiences)); taken are tokens for \(Self.list(policy.audiences))"
        }
        if refusal.code == .tokenExpired, let end = claims?["exp"]?.double.map(UnixTime.init) {
            text += "; it expired \(Self.time(end))"
        }
        if refusal.code == .storeUnavailable, case .builtIn = tenant.authenticate.keySources[index], isOffline {
            text += "; its keys are in the store of the running gateway, which --admin URL asks"
        }
        note(.verify, text, line: line(ofIssuer: index, tenant))
    }

    private func line(_ caller: Caller, _ tenant: Tenant) -> SourceLine? {
        tenant.authenticate.policy.index(ofIssuer: caller.principal.issuer)
            .flatMap { line(ofIssuer: $0, tenant) } ?? tenant.lines["introspection"]
    }

    func line(ofIssuer index: Int, _ tenant: Tenant) -> SourceLine? {
        tenant.lines["authenticate.issuers[\(index)]"] ?? tenant.lines["authenticate"]
    }

    private static func description(_ principal: Principal) -> String {
        let subject = principal.subject.map { "subject \(shown($0))" } ?? "no subject"
        return "\(subject) of \(shown(principal.issuer))"
    }

    /// - Parameter unixTime: From a claim; it can be any number.
    private static func time(_ unixTime: UnixTime) -> String {
        guard (0..<253_402_300_800).contains(unixTime.seconds) else { return "at \(unixTime.seconds)" }
        return HTTPDate.rfc3339(unixTime)
    }
}

extension TokenSource {
    /// The name in the configuration.
    var location: String {
        switch self {
        case .bearer: "bearer"
        case .cookie(let name): "cookie:\(name)"
        case .query(let name): "query:\(name)"
        case .header(let name): "header:\(name)"
        }
    }
}
