public import Logging
import Synchronization
public import Time
public import Verification

/// A local stand-in for providers with names of an operator's choice, which tests use too: an OpenID provider with
/// metadata at `/company`, and one with OAuth 2 alone, in GitHub's form, at `/code`.
///
/// Both have one client, are as strict as real ones, and can be made to fail and to lie. All state is in memory and
/// bounded.
public final class CompanyStandIn: Sendable {
    /// The client at both.
    public static let clientID = "gatehouse"
    public static let clientSecret = "example-only-company-secret"

    let state: Mutex<CompanyState>
    let now: @Sendable () -> UnixTime
    private let server: LoopbackServer

    /// - Parameters:
    ///   - key: Signs its ID tokens.
    ///   - stranger: Signs forged ones.
    public init(
        key: SigningKey,
        algorithm: SignatureAlgorithm,
        stranger: SigningKey,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) {
        state = Mutex(CompanyState(key: key, algorithm: algorithm, stranger: stranger))
        self.now = now
        server = LoopbackServer(name: "company-stand-in", logger: logger)
    }

    /// Listens, and returns once connections are accepted.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Throws: What kept the port from being bound.
    public func start(port: Int = 0) async throws {
        let bound = try await server.start(makeRouter(), port: port)
        state.withLock { $0.port = bound }
    }

    public func shutdown() async { await server.shutdown() }

    /// Its URL, without a trailing slash.
    public var url: String { state.withLock { $0.url } }
    public var issuer: String { state.withLock { $0.issuer } }

    /// Sets the user who is signed in at both.
    public func setUser(_ user: ProviderUser) { state.withLock { $0.user = user } }

    /// Makes an endpoint fail; nil makes it work again.
    public func fail(_ failure: ProviderFailure?, for endpoint: CompanyEndpoint) {
        state.withLock { $0.failures[endpoint] = failure }
    }

    /// The number of requests to an endpoint, whatever the response.
    public func calls(_ endpoint: CompanyEndpoint) -> Int { state.withLock { $0.calls[endpoint, default: 0] } }

    /// Changes a document from now on, after what was changed before.
    public func edit(_ document: CompanyDocument, _ change: @escaping @Sendable (inout JSONObject) -> Void) {
        state.withLock { $0.edits[document, default: []].append(change) }
    }

    /// Takes all changes and failures back.
    public func reset() {
        state.withLock { state in
            state.edits = [:]
            state.failures = [:]
            state.isForging = false
            state.signsAs = nil
        }
    }

    /// Whether a key signs ID tokens that is not in the key set.
    public func setForging(_ isOn: Bool) { state.withLock { $0.isForging = isOn } }

    /// The type of its ID tokens' headers; nil: `JWT`.
    public func setTokenType(_ type: String?) { state.withLock { $0.signsAs = type } }

    /// An ID token as an app gets it.
    ///
    /// - Parameter changing: Alters the claims before they are signed.
    public func idToken(
        audience: String,
        nonce: String? = nil,
        changing: (inout JSONObject) -> Void = { _ in }
    ) throws(SigningError) -> String {
        try state.withLock { state throws(SigningError) in
            var claims = state.claims(audience: audience, nonce: nonce, at: now())
            changing(&claims)
            return try state.sign(claims)
        }
    }
}

/// Endpoints that count their requests and can be made to fail.
public enum CompanyEndpoint: String, Sendable, CaseIterable {
    case metadata, keys, authorize, token, userInfo
    case codeAuthorize, codeToken, codeUser, codeEmails
}

/// What can be changed.
public enum CompanyDocument: Sendable, Hashable {
    case metadata, idToken, tokens, userInfo
    /// GitHub's.
    case codeTokens, codeUser
    /// Each entry of the list of addresses.
    case codeEmail
    /// The parameters of the response through the browser.
    case redirect
}
