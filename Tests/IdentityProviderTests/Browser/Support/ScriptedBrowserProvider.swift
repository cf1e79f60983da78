import Synchronization
import Tenants
import Time
import Verification

@testable import IdentityProvider

/// A provider that issues codes like a real one: each works once, with the verifier, nonce and redirect URI of its
/// authorization request.
final class ScriptedBrowserProvider: BrowserProvider {
    /// The parameters of an authorization URL.
    struct Requested: Sendable, Equatable {
        var redirectURI: String
        var state: String
        var nonce: String
        var codeChallenge: String
        var isAskedAnew = false
    }

    private struct State {
        var codes: [String: Requested] = [:]
        var count = 0
        var failure: EndpointRefusal?
        var identity: ProviderIdentity
        var asksAnew = true
    }

    let provider: SignIn.Provider
    var takesLoginHint: Bool { provider == .google }
    var asksAnew: Bool { state.withLock(\.asksAnew) }
    private let state: Mutex<State>

    init(_ provider: SignIn.Provider) {
        self.provider = provider
        let identity = ProviderIdentity(
            provider: provider,
            subject: "\(provider.rawValue)-alice",
            email: "alice@example.org",
            isEmailVerified: true
        )
        state = Mutex(State(identity: identity))
    }

    /// Makes it one that cannot be told to ask who it is, and says when it last did, or does not.
    func stopAskingAnew(signedInAt time: UnixTime? = nil) {
        state.withLock { state in
            state.asksAnew = false
            state.identity.signedInAt = time
        }
    }

    func fail(_ refusal: EndpointRefusal) { state.withLock { $0.failure = refusal } }

    func authorizationURL(
        redirectURI: String,
        state: String,
        nonce: String,
        codeChallenge: String,
        signsInAnew: Bool,
        at now: UnixTime
    ) -> String {
        FormText.url(
            "https://\(provider.rawValue).example/authorize?client_id=gate",
            adding: [
                ("redirect_uri", redirectURI), ("state", state), ("nonce", nonce), ("code_challenge", codeChallenge),
            ] + (signsInAnew ? [("prompt", "login")] : [])
        )
    }

    /// Signs in at `url`.
    func signIn(at url: String) throws -> (code: String, requested: Requested) {
        let query = url.split(separator: "?", maxSplits: 1).last.map { Array($0.utf8) } ?? []
        let fields = try FormFields(query)
        let requested = Requested(
            redirectURI: fields["redirect_uri"] ?? "",
            state: fields["state"] ?? "",
            nonce: fields["nonce"] ?? "",
            codeChallenge: fields["code_challenge"] ?? "",
            isAskedAnew: fields["prompt"] != nil
        )
        return state.withLock { state in
            state.count += 1
            let code = "\(provider.rawValue)-code-\(state.count)"
            state.codes[code] = requested
            return (code, requested)
        }
    }

    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        let (requested, failure, identity) = state.withLock {
            ($0.codes.removeValue(forKey: code), $0.failure, $0.identity)
        }
        if let failure { throw failure }
        let challenge = Base64URL.encode(SHA256.digest(Array(codeVerifier.utf8)))
        guard let requested, requested.codeChallenge == challenge, requested.nonce == nonce,
            requested.redirectURI == redirectURI
        else {
            throw .invalidToken("the provider knows no such code")
        }
        return identity
    }
}
