import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// The binding of sessions, and renewals by the gateway.
struct BoundSessionTests {
    private let start = SessionFixture.start
    private let confirmation = TokenConfirmation(keyThumbprint: SHA256.digest([1]))
    private let other = TokenConfirmation(keyThumbprint: SHA256.digest([2]))

    private func opening(_ confirmation: TokenConfirmation?, bindsSession: Bool = true) -> SessionOpening {
        SessionOpening(subject: "alice", binding: confirmation.map { TokenBinding($0, bindsSession: bindsSession) })
    }

    @Test(arguments: [
        TokenConfirmation(keyThumbprint: SHA256.digest([1])),
        TokenConfirmation(certificateThumbprint: SHA256.digest([2])),
        TokenConfirmation(keyThumbprint: SHA256.digest([1]), certificateThumbprint: SHA256.digest([2])), nil,
    ])
    func boundSessionRoundTrips(_ confirmation: TokenConfirmation?) throws {
        let session = IssuerSession.start(opening(confirmation), .chat, at: 1000).session
        #expect(session.confirmation == confirmation)
        let read = try #require(IssuerSession.read(session.json))
        #expect(read.session == session && read.session.confirmation == confirmation)
    }

    /// Records of versions without binding.
    @Test func recordWithoutConfirmationIsUnbound() async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.signIn()
        let key = StoreKey(tenant: "chat", kind: "session", name: tokens.sessionID)
        let record = try #require(try await store.value(for: key))
        #expect(try #require(JSONParser.parse(record).object)["cnf"] == nil)
        let next = try await service.sessions.refresh(tokens.refresh, at: start + 1)
        #expect(next.confirmation == nil && next.response["token_type"] == "Bearer")
    }

    @Test(arguments: [
        JSONValue.string("key"), ["jkt": "short"], ["jkt": 1], [:], ["x5t#S256": "AA"], ["kid": "k"], .null,
    ])
    func unreadableBindingIsNeverMet(_ claim: JSONValue) async throws {
        let store = MemoryStore.still
        let service = try SessionFixture(.chat, store)
        let tokens = try await service.sessions.start(opening(confirmation), at: start)
        let key = StoreKey(tenant: "chat", kind: "session", name: tokens.sessionID)
        let record = try #require(try await store.value(for: key))
        var object = try #require(JSONParser.parse(record).object)
        object["cnf"] = claim
        try await store.set(JSONWriter.bytes(of: object), for: key, lifetime: nil)
        for binding in [nil, TokenBinding(confirmation, bindsSession: true)] {
            let refused = try await refusal {
                try await service.sessions.refresh(tokens.refresh, binding: binding, at: start + 1)
            }
            #expect(refused == .otherKey)
        }
    }

    @Test func renewedTokenKeepsBinding() async throws {
        let service = try SessionFixture()
        let tokens = try await service.sessions.start(opening(confirmation), at: start)
        let (session, scopes) = (tokens.sessionID, tokens.scopes)
        let renewed = try await service.sessions.renew(
            sessionID: session,
            subject: "alice",
            scopes: scopes,
            boundTo: confirmation,
            at: start + 1
        )
        #expect(renewed.confirmation == confirmation)
        #expect(TokenConfirmation(try service.claims(renewed.accessToken)) == confirmation)
        for wrong in [nil, other, TokenConfirmation(certificateThumbprint: SHA256.digest([1]))] {
            let refused = try await refusal {
                try await service.sessions.renew(
                    sessionID: session,
                    subject: "alice",
                    scopes: scopes,
                    boundTo: wrong,
                    at: start + 1
                )
            }
            #expect(refused == .otherKey)
        }
        // The client's refresh token is unchanged.
        let next = try await service.sessions.refresh(
            tokens.refresh,
            binding: TokenBinding(confirmation, bindsSession: true),
            at: start + 2
        )
        #expect(next.confirmation == confirmation)
    }

    /// `dpop_bound` or `certificate_bound` was set after the session began.
    @Test(arguments: [true, false])
    func clientThatMustBindIsNotRenewedUnbound(isKey: Bool) async throws {
        let store = MemoryStore.still
        let opening = SessionOpening(subject: "alice", clientID: "app")
        let tokens = try await SessionFixture(.chat, store).sessions.start(opening, at: start)
        var rules = IssuerRules.chat
        if isKey { rules.clientsWithKeys = ["app"] } else { rules.clientsWithCertificates = ["app"] }
        let service = try SessionFixture(rules, store)
        let enough = TokenConfirmation(
            keyThumbprint: isKey ? SHA256.digest([1]) : nil,
            certificateThumbprint: isKey ? nil : SHA256.digest([2])
        )
        let wrong = TokenConfirmation(
            keyThumbprint: isKey ? nil : SHA256.digest([1]),
            certificateThumbprint: isKey ? SHA256.digest([2]) : nil
        )
        func renew(_ confirmation: TokenConfirmation?) async throws -> IssuedTokens {
            try await service.sessions.renew(
                sessionID: tokens.sessionID,
                subject: "alice",
                scopes: tokens.scopes,
                boundTo: confirmation,
                at: start + 1
            )
        }
        for confirmation in [nil, wrong] {
            let refused = try await refusal { try await renew(confirmation) }
            #expect(refused == .otherKey)
            let binding = confirmation.map { TokenBinding($0, bindsSession: false) }
            let unused = try await refusal {
                try await service.sessions.refresh(tokens.refresh, client: .any, binding: binding, at: start + 1)
            }
            #expect(unused == .otherKey)
        }
        #expect(try await renew(enough).confirmation == enough)
    }

    /// A confidential client's session.
    @Test func unboundSessionRenewsForAnyKey() async throws {
        let service = try SessionFixture()
        let tokens = try await service.sessions.start(opening(confirmation, bindsSession: false), at: start)
        #expect(tokens.confirmation == confirmation)
        for key in [other, nil] {
            let renewed = try await service.sessions.renew(
                sessionID: tokens.sessionID,
                subject: "alice",
                scopes: tokens.scopes,
                boundTo: key,
                at: start + 1
            )
            #expect(renewed.confirmation == key)
        }
    }

    @Test func accountClaimsCannotSetConfirmation() async throws {
        let service = try SessionFixture()
        let claims: JSONObject = ["cnf": .object(other.claim), "role": "member"]
        let tokens = try await service.sessions.start(SessionOpening(subject: "alice", claims: claims), at: start)
        let made = try service.claims(tokens.accessToken)
        #expect(made["cnf"] == nil && made["role"] == "member")
    }

    @Test func concurrentBindingsKeepOneKey() async throws {
        let store = MemoryStore.still
        let services = [try SessionFixture(.chat, store), try SessionFixture(.chat, store)]
        let tokens = try await services[0].signIn()
        let refresh = try tokens.refresh
        let outcomes = try await withThrowingTaskGroup(of: IssuingRefusal?.self) { group in
            for (service, key) in zip(services, [confirmation, other]) {
                group.addTask {
                    try await refusal {
                        try await service.sessions.refresh(
                            refresh,
                            binding: TokenBinding(key, bindsSession: true),
                            at: start + 1
                        )
                    }
                }
            }
            return try await group.reduce(into: [IssuingRefusal?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == .otherKey } == 1)
    }
}
