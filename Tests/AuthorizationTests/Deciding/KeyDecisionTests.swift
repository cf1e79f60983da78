import NIOPosix
import SharedState
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants

/// Decisions without an issuer's keys, and after a fetch.
struct KeyDecisionTests {
    private static let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys"))
    private let key: SigningKey
    private let next: SigningKey

    init() throws {
        key = try SigningKey.generate(.p256)
        next = try SigningKey.generate(.p256)
    }

    private func set(_ keys: SigningKey...) throws -> KeySet {
        let jwks = try keys.map { JSONValue.object(try #require($0.publicJWK(algorithm: .es256))) }
        return try KeySet(jwks: JSONWriter.bytes(of: ["keys": .array(jwks)] as JSONObject), origin: .url)
    }

    private func pipeline(_ keys: KeySet?, access: [AccessRule] = []) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(access: access)
        let issuer = IssuerPolicy(issuer: RequestPipeline.issuer, algorithms: [.es256], keys: keys)
        tenant.authenticate = Authentication(
            policy: VerificationPolicy(issuers: [issuer]),
            keySources: [.remote(Self.source)]
        )
        return RequestPipeline([tenant])
    }

    private func request(_ key: SigningKey, _ path: String = "/", subject: String = "alice") throws -> [UInt8] {
        let claims: JSONObject = [
            "iss": .string(RequestPipeline.issuer), "sub": .string(subject),
            "exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) + 600)),
        ]
        let token = try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint).sign(claims)
        return RequestPipeline.request(path, lines: ["Authorization: Bearer \(token)"])
    }

    private func asksForKeys(_ answer: RequestPipeline.Outcome, isMissing: Bool) -> Bool {
        if case .needs(.keys(let step)) = answer {
            step.isMissing == isMissing && step.source == Self.source
        } else {
            false
        }
    }

    @Test func missingKeysAreRequestedThenAnswered503() throws {
        let pipeline = try pipeline(nil)
        let request = try request(key)
        #expect(asksForKeys(pipeline.ask(request), isMissing: true))
        let refusal = try #require(pipeline.ask(request, allowing: .signature).refusal)
        #expect(refusal.status == 503 && refusal.code == .storeUnavailable && refusal.retryAfterSeconds == 1)
        let answer = KeySetResult.unavailable(retryAfterSeconds: 7)
        pipeline.authorizer.authenticator.settle(
            KeyStep(source: Self.source, isMissing: true),
            answer,
            at: RequestPipeline.now
        )
        #expect(pipeline.ask(request).refusal?.retryAfterSeconds == 7, "nobody is asked again so soon")
    }

    @Test func newKeysAreUsed() throws {
        let pipeline = try pipeline(nil)
        let request = try request(key)
        _ = pipeline.ask(request, allowing: [])
        #expect(pipeline.tenants[0].verification.use(try set(key), from: .remote(Self.source)))
        pipeline.authorizer.authenticator.keysChanged(source: .remote(Self.source), of: [0])
        #expect(pipeline.ask(request).grant?.caller?.principal.subject == "alice")
    }

    @Test func unknownKeyIsRequestedOnceThenRefused() throws {
        let pipeline = try pipeline(try set(key))
        let request = try request(next)
        #expect(asksForKeys(pipeline.ask(request), isMissing: false))
        pipeline.authorizer.authenticator.settle(
            KeyStep(source: Self.source, isMissing: false),
            .nothingNew,
            at: RequestPipeline.now
        )
        #expect(pipeline.ask(request, allowing: .signature).refusal?.code == .invalidToken)
        // Another token with the same key causes no introspection for a while.
        let other = try self.request(next, subject: "bob")
        #expect(pipeline.ask(other).refusal?.status == 401)
        #expect(
            asksForKeys(
                pipeline.ask(try self.request(next, subject: "carol"), at: RequestPipeline.now + 1),
                isMissing: false
            )
        )
    }

    @Test func refusedTokenIsAcceptedOnceItsKeyArrives() throws {
        let pipeline = try pipeline(try set(key))
        let request = try request(next)
        #expect(pipeline.ask(request, allowing: []).refusal?.code == .invalidToken)
        _ = pipeline.tenants[0].verification.use(try set(key, next), from: .remote(Self.source))
        pipeline.authorizer.authenticator.keysChanged(source: .remote(Self.source), of: [0])
        #expect(pipeline.ask(request).grant?.caller != nil)
    }

    @Test func cachedTokenOfAWithdrawnKeyIsRefused() throws {
        let pipeline = try pipeline(try set(key, next))
        let request = try request(key)
        for _ in 0..<2 { #expect(pipeline.ask(request).grant?.caller != nil) }
        _ = pipeline.tenants[0].verification.use(try set(next), from: .remote(Self.source))
        pipeline.authorizer.authenticator.keysChanged(source: .remote(Self.source), of: [0])
        #expect(pipeline.ask(request, allowing: []).refusal?.code == .invalidToken)
    }

    @Test func sameKeysAgainAreNoChange() throws {
        let pipeline = try pipeline(try set(key, next))
        #expect(!pipeline.tenants[0].verification.use(try set(key, next), from: .remote(Self.source)))
        #expect(pipeline.tenants[0].verification.keyGeneration == 0)
        #expect(pipeline.tenants[0].verification.use(try set(next), from: .remote(Self.source)))
        #expect(pipeline.tenants[0].verification.use(try set(key, next), from: .remote(Self.source)))
    }

    @Test func removedKeysCountAsMissing() throws {
        let pipeline = try pipeline(try set(key))
        let request = try request(key)
        #expect(pipeline.ask(request).grant?.caller != nil)
        _ = pipeline.tenants[0].verification.use(nil, from: .remote(Self.source))
        pipeline.authorizer.authenticator.keysChanged(source: .remote(Self.source), of: [0])
        #expect(pipeline.ask(request, allowing: []).refusal?.status == 503)
    }

    @Test func openPathDoesNotWaitForKeys() throws {
        let pipeline = try pipeline(nil, access: [RequestPipeline.rule("/open/**", .anyone)])
        let grant = try #require(pipeline.ask(try request(key, "/open/x"), allowing: []).grant)
        #expect(grant.caller == nil)
    }

    /// A check off the loop, of a token whose key is missing: the key is requested after it.
    @Test func keysAreRequestedAfterASlowCheckToo() async throws {
        let pipeline = try pipeline(try set(key))
        for number in 0..<40 {
            let request = try request(next, subject: "\(number)")
            guard case .needs(.signature(let step)) = pipeline.ask(request, allowing: .all) else { continue }
            let verifier = pipeline.slowVerifier
            pipeline.authorizer.authenticator.settle(step, await verifier.verify(step), pipeline.tenants[0])
            let after = AllowedSteps.all.subtracting(AllowedSteps(.signature(step)))
            #expect(asksForKeys(pipeline.ask(request, allowing: after), isMissing: false))
            #expect(AllowedSteps(.keys(KeyStep(source: Self.source, isMissing: false))) == .keys)
            return
        }
        Issue.record("the budget for slow checks was never spent")
    }

    @Test func slowVerifierHasTheNewKeys() async throws {
        let pipeline = try pipeline(nil)
        let verifier = pipeline.slowVerifier
        await verifier.use(try set(key), from: .remote(Self.source))
        let bytes = try request(key)
        let token = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "Bearer ").last)
        let step = SignatureStep(
            tenant: 0,
            token: Array(token.trimmed.utf8),
            key: TokenCache.Key(hash: (0, 0), tenant: TenantRevision(0)),
            now: RequestPipeline.now,
            keyGeneration: 0
        )
        #expect(try await verifier.verify(step).get().principal.subject == "alice")
    }

    /// A file of keys that changes and changes back is as it was when it was read: the reload that reads it finds no other
    /// tenant, but verifiers have had other keys meanwhile.
    @Test func keysInAFileAreThoseOfTheLastReading() async throws {
        let source = KeySource.file(KeyFileSource(kind: .keySet, path: "/keys.json", algorithms: [.es256]))
        var tenant = try RequestPipeline.tenant()
        tenant.authenticate = Authentication(
            policy: VerificationPolicy(
                issuers: [IssuerPolicy(issuer: RequestPipeline.issuer, algorithms: [.es256], keys: try set(key))]
            ),
            keySources: [source]
        )
        let configuration = TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: [tenant])
        let snapshot = ConfigurationSnapshot(configuration, at: 1)
        let verifier = SlowVerifier(snapshot, eventLoop: MultiThreadedEventLoopGroup.singleton.any())
        let bytes = try request(key)
        let token = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "Bearer ").last)
        func isVerified() async -> Bool {
            let result = await verifier.verify(Array(token.trimmed.utf8), ofTenant: 0, at: RequestPipeline.now)
            return (try? result.get()) != nil
        }
        #expect(await isVerified())
        await verifier.use(try set(next), from: source)
        #expect(await !isVerified())
        await verifier.adopt(snapshot.next(configuration, at: 2))
        #expect(await isVerified())
    }
}

extension Substring {
    fileprivate var trimmed: Substring { prefix { !$0.isWhitespace } }
}
