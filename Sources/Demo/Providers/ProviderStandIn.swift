public import Logging
import Synchronization
public import Tenants
public import Time
public import Verification

/// The local stand-in for Apple and Google (also what tests use): their keys, pages, and endpoints for codes and tokens,
/// on one loopback port.
///
/// It is as strict as they are, so that a gateway's mistake shows: clients and redirect URIs have to be registered, which
/// ``apply(to:)`` does, secrets and PKCE are checked, codes work once. All it knows is in memory and bounded.
public final class ProviderStandIn: Sendable {
    /// The private key that the gateway signs its client secrets for Apple with, as Apple gives it out: PKCS#8 in PEM.
    public let appleP8: String
    let state: Mutex<StandInState>
    let now: @Sendable () -> UnixTime
    private let server: LoopbackServer

    public init(keys: ProviderKeys, logger: Logger, now: @escaping @Sendable () -> UnixTime) {
        appleP8 = keys.appleClient.privateKeyPEM ?? ""
        state = Mutex(StandInState(keys))
        self.now = now
        server = LoopbackServer(name: "provider-stand-in", logger: logger)
    }

    /// Listens, and returns once connections are accepted.
    ///
    /// - Parameter port: 0 stands for any free one.
    /// - Throws: What kept the port from being bound.
    public func start(port: Int = 0) async throws {
        let bound = try await server.start(makeRouter(), port: port)
        state.withLock { $0.port = bound }
    }

    /// Lets requests under way finish, at most five seconds, and frees the port.
    public func shutdown() async {
        await server.shutdown()
    }

    /// Where it is, without a slash behind.
    public var url: String { state.withLock { $0.url } }

    /// The `iss` of its Apple tokens.
    public var appleIssuer: String { state.withLock { $0.appleIssuer } }

    /// The `iss` of its Google tokens.
    public var googleIssuer: String { state.withLock { $0.googleIssuer } }

    /// Who is signed in at `provider` in the browser, from now on.
    public func setUser(_ user: ProviderUser, at provider: SignIn.Provider) {
        state.withLock { $0.users[provider] = user }
    }

    /// Whether the pages answer without being asked to continue, as a provider does to somebody whom it knows.
    public func setAnswersAtOnce(_ isOn: Bool) {
        state.withLock { $0.answersAtOnce = isOn }
    }

    /// What an endpoint does instead of its work from now on.
    ///
    /// - Parameter failure: Nil: it works again.
    public func fail(_ failure: ProviderFailure?, for endpoint: ProviderEndpoint) {
        state.withLock { $0.failures[endpoint] = failure }
    }

    /// How often an endpoint was asked, whatever it answered.
    public func calls(_ endpoint: ProviderEndpoint) -> Int {
        state.withLock { $0.calls[endpoint, default: 0] }
    }

    /// Signs with new keys from now on.
    ///
    /// - Parameter keepingOld: Whether what the old ones have signed can still be verified.
    public func rotateKeys(keepingOld: Bool = false) throws(SigningError) {
        let apple = try SigningKey.generate(.rsa(bits: 2048))
        let google = try SigningKey.generate(.rsa(bits: 2048))
        state.withLock { state in
            state.appleKeys.rotate(to: apple, keepingOld: keepingOld)
            state.googleKeys.rotate(to: google, keepingOld: keepingOld)
        }
    }
}
