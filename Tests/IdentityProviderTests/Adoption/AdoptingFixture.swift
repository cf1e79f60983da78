import Store
import TestSupport
import Testing
import Time
import Verification

@testable import Adoption
@testable import IdentityProvider
@testable import Tenants

/// A tenant whose issuer begins sessions for tokens of ``SampleTenant/issuer``.
struct AdoptingFixture {
    static let start = ExchangeFixture.start
    /// The former token was issued this long before.
    static let age = 300.0

    let base: ExchangeFixture
    let accounts: AccountRepository
    var admission: Admission?

    init(
        rules: AccountRules = AccountRules(),
        hook: HookSide? = nil,
        admission: Admission? = nil,
        limits: AttemptLimits = AttemptLimits()
    ) throws {
        var base = try ExchangeFixture(limits: limits)
        base.tenant.accounts = rules
        self.base = base
        accounts = AccountFixture.repository(rules, base.store, hook: hook?.hook(rules))
        self.admission = admission
    }

    private var adopter: SessionAdopter {
        SessionAdopter(base.context, accounts: accounts, admission: admission)
    }

    /// A session of the former issuer.
    ///
    /// - Parameters:
    ///   - token: Changes of its token's claims.
    ///   - claims: What goes over.
    func former(
        _ token: KeyValuePairs<String, JSONValue?> = [:],
        claims: JSONObject = ["email": "alice@example.test", "email_verified": true, "role": "customer"]
    ) throws -> FormerSession {
        let tenant = try SampleTenant.tenant()
        let issued = JSONValue.number(JSONNumber(Int(Self.start.seconds - Self.age)))
        var all: JSONObject = [
            "iss": .string(SampleTenant.issuer), "sub": "alice", "sid": "old-session", "iat": issued,
            "scope": "read write", "exp": .number(JSONNumber(Int(Self.start.seconds) + 600)),
        ]
        for (name, value) in token { all[name] = value }
        let principal = try TokenVerifier(tenant.authenticate.policy)
            .verify(Array(SampleTenant.token(of: all).utf8), at: Self.start)
        return FormerSession(principal: principal, claims: claims, device: "App/1", clientAddress: [192, 0, 2, 7])
    }

    func open(
        _ former: FormerSession,
        at now: UnixTime = start,
        isInTime: Bool = true
    ) async throws(AdoptionFailure) -> IssuedTokens {
        try await adopter.open(former, at: now) { isInTime }
    }

    func isUnused(_ session: String, at now: UnixTime = start) async throws -> Bool {
        try await adopter.isUnused(session, at: now)
    }

    /// The claims of an access token, which must be good.
    func claims(_ tokens: IssuedTokens) throws -> JSONObject {
        try base.verifier().verify(Array(tokens.accessToken.utf8), at: Self.start).claims
    }

    func revoke(_ target: RevocationTarget, at time: UnixTime = start) async throws {
        try await base.revocations.revoke([
            Revocation(tenant: "chat", target: target, revokedAt: time, expiresAt: time + 86_400)
        ])
    }

    /// The sessions of a subject.
    func sessions(of subject: String = "alice") async throws -> [IssuerSession] {
        try await base.sessions.sessions(ofSubject: subject, at: Self.start)
    }
}
