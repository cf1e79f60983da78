public import Logging
import Synchronization
public import Tenants
public import Time
public import Verification

/// The local stand-in for Apple and Google, which tests use too: their keys, pages, and endpoints for codes and tokens,
/// on one loopback port.
///
/// It is as strict as they are, so that errors of the gateway show: clients and redirect URIs must be registered, which
/// ``apply(to:)`` does, secrets and PKCE are checked, codes work once. All state is in memory and bounded.
public final class ProviderStandIn: Sendable {
    /// The private key with which the gateway signs its client secrets for Apple, in Apple's format: PKCS#8 in PEM.
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
    /// - Parameter port: 0 for any free one.
    /// - Throws: What kept the port from being bound.
    public func start(port: Int = 0) async throws {
        let bound = try await server.start(makeRouter(), port: port)
        state.withLock { $0.port = bound }
    }

    /// Lets requests under way finish, for at most five seconds, and frees the port.
    public func shutdown() async {
        await server.shutdown()
    }

    /// Its URL, without a trailing slash.
    public var url: String { state.withLock { $0.url } }

    /// The `iss` of its Apple tokens.
    public var appleIssuer: String { state.withLock { $0.appleIssuer } }

    /// The `iss` of its Google tokens.
    public var googleIssuer: String { state.withLock { $0.googleIssuer } }

    /// Sets the user signed in at `provider` in the browser.
    public func setUser(_ user: ProviderUser, at provider: SignIn.Provider) {
        state.withLock { $0.users[provider] = user }
    }

    /// Whether the pages respond without asking to continue, as a provider does for a known user.
    public func setSkipsConsent(_ isOn: Bool) {
        state.withLock { $0.skipsConsent = isOn }
    }

    /// Makes an endpoint fail.
    ///
    /// - Parameter failure: Nil to make it work again.
    public func fail(_ failure: ProviderFailure?, for endpoint: ProviderEndpoint) {
        state.withLock { $0.failures[endpoint] = failure }
    }

    /// The number of requests to an endpoint, whatever the response.
    public func calls(_ endpoint: ProviderEndpoint) -> Int {
        state.withLock { $0.calls[endpoint, default: 0] }
    }

    /// Signs with new keys from now on.
    ///
    /// - Parameter keepingOld: Whether tokens of the old ones can still be verified.
    public func rotateKeys(keepingOld: Bool = false) throws(SigningError) {
        let apple = try SigningKey.generate(.rsa(bits: 2048))
        let google = try SigningKey.generate(.rsa(bits: 2048))
        state.withLock { state in
            state.appleKeys.rotate(to: apple, keepingOld: keepingOld)
            state.googleKeys.rotate(to: google, keepingOld: keepingOld)
        }
    }
}
