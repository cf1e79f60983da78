import IdentityProvider
import SharedState
import SignalReceiver
import Synchronization
import TestSupport
import Testing
import Time
import Upstream
import Verification

@testable import Gateway
@testable import Tenants

/// Keys of senders that are missing, rotate, or cannot be fetched.
struct KnownSenderTokensTests {
    private static let issuer = "https://id.test"
    private static let source = RemoteKeySource(location: .keySet(url: "https://id.test/jwks"))

    private let key: SigningKey
    private let sender: TrustedSender
    private let verifiers: ProviderVerifiers

    init() throws {
        key = try SigningKey.generate(.p256)
        sender = TrustedSender(
            .transmitter,
            issuer: Self.issuer,
            audiences: ["shop"],
            algorithms: [.es256],
            source: .remote(Self.source)
        )
        verifiers = ProviderVerifiers(
            ConfigurationSnapshot(TenantsConfiguration(gateway: GatewaySettings(listeners: []), tenants: []), at: 0)
        )
    }

    private func keys(_ key: SigningKey) throws -> KeySet {
        try KeySet(jwk: try #require(key.publicJWK()), origin: .url)
    }

    private func verify(
        _ fetch: @escaping @Sendable (KeySetReason) async -> KeySetResult
    ) async throws -> Result<Principal, ProviderTokenProblem> {
        let claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "shop", "jti": "j", "iat": 1_800_000_000, "events": [:],
        ]
        let token = try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint).sign(claims)
        let keys = FetchedKeys { _, reason in await fetch(reason) }
        return await KnownSenderTokens(verifiers: verifiers, keys: keys).verify(
            Array(token.utf8),
            of: sender,
            issuer: Self.issuer,
            as: .securityEvent,
            at: 1_800_000_000
        )
    }

    @Test func missingKeysAreFetched() async throws {
        let (verifiers, known) = (verifiers, try keys(key))
        let result = try await verify { reason in
            #expect(reason == .missing)
            await verifiers.use(known, from: Self.source)
            return .decideAgain
        }
        #expect((try? result.get())?.issuer == Self.issuer)
    }

    @Test func unknownKeyIsFetchedOnce() async throws {
        await verifiers.use(try keys(try SigningKey.generate(.p256)), from: Self.source)
        let (verifiers, known) = (verifiers, try keys(key))
        let result = try await verify { reason in
            #expect(reason == .unknownKey)
            await verifiers.use(known, from: Self.source)
            return .decideAgain
        }
        #expect((try? result.get()) != nil)
    }

    @Test func keyThatItsIssuerDoesNotKnowIsRefused() async throws {
        await verifiers.use(try keys(try SigningKey.generate(.p256)), from: Self.source)
        guard case .failure(.refused(let failure)) = try await verify({ _ in .nothingNew }) else {
            Issue.record("a token of an unknown key is not refused")
            return
        }
        #expect(failure.reason == .unknownKey)
    }

    @Test(arguments: [true, false]) func keysOutOfReachAreNoRefusal(_ hasOthers: Bool) async throws {
        if hasOthers { await verifiers.use(try keys(try SigningKey.generate(.p256)), from: Self.source) }
        let result = try await verify { _ in .unavailable(retryAfterSeconds: 1) }
        #expect(throws: ProviderTokenProblem.keysUnavailable) { try result.get() }
    }

    @Test func fetchesAreBounded() async throws {
        let count = Mutex(0)
        let result = try await verify { _ in
            count.withLock { $0 += 1 }
            return .decideAgain
        }
        #expect(throws: ProviderTokenProblem.keysUnavailable) { try result.get() }
        #expect(count.withLock { $0 } == 2)
    }
}
