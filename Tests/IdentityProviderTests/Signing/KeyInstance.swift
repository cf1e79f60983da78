import Foundation
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// An instance with keys in a store, a clock of its own, and what its verifiers were distributed.
final class KeyInstance: Sendable {
    private final class State: Sendable {
        let time = Mutex(UnixTime(1_800_000_000))
        let distributed = Mutex<[KeySet]>([])
    }

    let issuer: BuiltInIssuer
    let keys: StoredKeys
    let sealer: Sealer
    let log = RecordedLog()
    private let state: State

    /// - Parameter seal: The sealing keys by number; the first one seals.
    init(
        _ store: any Store,
        algorithm: SignatureAlgorithm = .es256,
        rotateEvery: Duration = .seconds(90 * 86_400),
        seal: Int...
    ) throws {
        let state = State()
        self.state = state
        issuer = BuiltInIssuer(
            url: "https://chat.example",
            audience: "chat-api",
            algorithm: algorithm,
            rotateEvery: rotateEvery
        )
        let numbers = seal.isEmpty ? [1] : seal
        let words = numbers.map { Data(repeating: UInt8($0), count: 32).base64EncodedString() }
        sealer = Sealer(try SealingKeys(words.joined(separator: ",")))
        keys = StoredKeys(
            issuer,
            tenant: "chat",
            store: store,
            sealer: sealer,
            now: { state.time.withLock { $0 } },
            logger: log.logger
        ) { keys in
            state.distributed.withLock { $0.append(keys) }
        }
    }

    var times: SigningKeyTimes { SigningKeyTimes(issuer) }

    /// Unix seconds.
    var time: UnixTime {
        get { state.time.withLock { $0 } }
        set { state.time.withLock { $0 = newValue } }
    }

    /// The key sets that the verifiers were distributed, in order.
    var distributed: [KeySet] { state.distributed.withLock { $0 } }

    func sign(_ type: IssuedTokenType) async throws(SigningProblem) -> String {
        let issuedAt = Int(time.seconds)
        return try await keys.sign(
            [
                "iss": .string(issuer.url), "sub": "alice", "aud": .string(issuer.audience),
                "iat": .number(JSONNumber(issuedAt)), "exp": .number(JSONNumber(issuedAt + 3600)),
            ],
            as: type
        )
    }

    /// The `kid` that an access token is signed under now.
    func keyID() async throws -> String {
        let header = try UnverifiedToken(Array(try await sign(.access).utf8)).header
        return try #require(header["kid"]?.string)
    }

    /// With the keys that the verifiers were distributed last.
    func verify(_ token: String, at now: UnixTime? = nil, leeway: Double = 0) throws -> Principal {
        let issuer = IssuerPolicy(
            issuer: issuer.url,
            audiences: [issuer.audience],
            algorithms: [issuer.algorithm],
            keys: distributed.last
        )
        let policy = VerificationPolicy(issuers: [issuer], leeway: leeway)
        return try TokenVerifier(policy).verify(Array(token.utf8), at: now ?? time)
    }
}
