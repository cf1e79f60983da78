import Store
import Synchronization
import TestSupport
import Testing
import Time
import TokenSigning
import Verification

@testable import IdentityProvider
@testable import SignalReceiver
@testable import Tenants

/// One instance of a tenant that takes tokens of an issuer, whose people also sign in with it, and signals of a hub.
struct SignalFixture {
    static let start = ExchangeFixture.start
    static let issuer = "https://id.test"
    static let hub = "https://hub.test"

    let tenant: Tenant
    let store: any Store
    let accounts = FakeAccounts()
    let revocations: FakeRevocations
    let sessions: SessionService
    let counts = SignInCounts()
    let log = RecordedLog()
    let tokens = FakeSenderTokens()
    let limits = AttemptLimits()
    let key: SigningKey

    /// - Parameter hub: Who sends signals; the issuer itself may.
    init(store: any Store = MemoryStore.still, hub: String = Self.hub, bearer: Secret? = nil) throws {
        let fixture = try ExchangeFixture(store: store)
        key = try SigningKey.generate(.p256)
        let keys = try KeySet(jwk: try #require(key.publicJWK()), origin: .url)
        var tenant = fixture.tenant
        tenant.authenticate.policy.issuers = [
            IssuerPolicy(issuer: Self.issuer, audiences: ["shop"], algorithms: [.es256], keys: keys)
        ]
        tenant.authenticate.keySources = [.inline]
        tenant.signals = [
            SignalTransmitter(
                issuer: hub,
                audiences: [hub == Self.issuer ? "shop" : "shop-hub"],
                algorithms: [.es256],
                keys: keys,
                source: .inline,
                bearer: bearer
            )
        ]
        let google = try #require(tenant.signIn?.keys(of: .google))
        tokens.publish(keys, at: google)
        self.tenant = tenant
        self.store = store
        revocations = fixture.revocations
        sessions = fixture.sessions
    }

    var endpoints: SignalEndpoints {
        SignalEndpoints(
            SignalContext(
                tenant: tenant,
                store: store,
                tokens: tokens,
                revocations: revocations,
                accounts: accounts,
                sessions: sessions,
                realmSessions: [sessions],
                counts: counts,
                limits: limits,
                logger: log.logger
            )
        )
    }

    func token(
        _ claims: JSONObject,
        type: String,
        key: SigningKey? = nil,
        keyID: String? = nil
    ) throws -> String {
        let key = key ?? self.key
        return try TokenSigner(key, algorithm: key.algorithms[0], keyID: keyID ?? key.thumbprint)
            .sign(claims, header: ["typ": .string(type)])
    }

    /// A logout token with changes; null removes a claim.
    func logoutToken(_ changes: KeyValuePairs<String, JSONValue> = [:], type: String = "logout+jwt") throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "shop", "jti": "j1", "sub": "alice", "sid": "s1",
            "iat": Self.time(-10), "exp": Self.time(110),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        for (name, value) in changes { claims[name] = value == .null ? JSONValue?.none : value }
        return try token(claims, type: type)
    }

    /// A security event with changes; null removes a claim.
    func event(
        _ uri: String = "https://schemas.openid.net/secevent/caep/event-type/session-revoked",
        _ changes: KeyValuePairs<String, JSONValue> = [:]
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "shop", "jti": "j1", "iat": Self.time(-10),
            "sub_id": ["format": "iss_sub", "iss": .string(Self.issuer), "sub": "alice"],
        ]
        var events = JSONObject()
        events[uri] = [:]
        claims["events"] = .object(events)
        for (name, value) in changes { claims[name] = value == .null ? JSONValue?.none : value }
        return try token(claims, type: "secevent+jwt")
    }

    static func time(_ offset: Int) -> JSONValue { .number(JSONNumber(Int(start.seconds) + offset)) }

    func logOut(_ token: String, at now: UnixTime = start) async throws -> EndpointResponse {
        try await respond(
            .backChannelLogout,
            Array("logout_token=\(token)".utf8),
            EndpointRequest.Fields(contentType: "application/x-www-form-urlencoded"),
            now
        )
    }

    func push(
        _ token: String,
        contentType: String? = "application/secevent+jwt",
        authorization: String? = nil,
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        let fields = EndpointRequest.Fields(contentType: contentType, authorization: authorization)
        return try await respond(.signals, Array(token.utf8), fields, now)
    }

    private func respond(
        _ endpoint: Endpoint,
        _ body: [UInt8],
        _ fields: EndpointRequest.Fields,
        _ now: UnixTime
    ) async throws -> EndpointResponse {
        try await endpoints.respond(
            to: EndpointRequest(
                endpoint: endpoint,
                method: "POST",
                authority: "chat.localtest",
                fields: fields,
                body: body,
                now: now
            )
        ).response
    }

    /// The targets of all revocations, in order.
    var revoked: [RevocationTarget] { revocations.all.map(\.target) }
}

/// Verifies with the keys that tenants have, and those that are published.
final class FakeSenderTokens: SenderTokens {
    private let published = Mutex<[RemoteKeySource: KeySet]>([:])

    func publish(_ keys: KeySet?, at source: RemoteKeySource) { published.withLock { $0[source] = keys } }

    func verify(
        _ token: [UInt8],
        of sender: TrustedSender,
        issuer: String,
        as purpose: TokenPurpose,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        guard var policy = sender.policy(for: issuer) else { return .failure(.keysUnavailable) }
        if case .remote(let source) = sender.source { policy.keys = published.withLock { $0[source] } }
        guard policy.keys != nil else { return .failure(.keysUnavailable) }
        do throws(VerificationFailure) {
            return .success(
                try TokenVerifier(VerificationPolicy(issuers: [policy], purpose: purpose)).verify(token, at: now)
            )
        } catch {
            return .failure(.refused(error))
        }
    }
}
