import Tenants
import Time
import Verification

/// How somebody has signed in.
struct SignInWay: Sendable, Equatable {
    /// Of the session, for people and operators: a provider, or `passkey`.
    let name: String
    /// `amr` (RFC 8176); empty where a provider did it.
    let methods: [String]
    /// What the provider's claims add to the account's.
    var claims = JSONObject()
    /// When the provider says that they did; nil for now.
    var signedInAt: UnixTime?
    /// The credential of the passkey; nil for a provider, and in records of a version that did not keep it.
    var passkey: [UInt8]?

    /// Whether it tells when they proved who they are: a provider may have led somebody back whom it knew already.
    ///
    /// - Parameter provider: The one that was told to ask who it is; nil for none.
    func isProof(askedAnew provider: (any BrowserProvider)? = nil) -> Bool {
        signedInAt != nil || name == SignIn.Provider.passkey || provider?.asksAnew ?? false
    }
}

extension SignInWay {
    init(_ identity: ProviderIdentity) {
        self.init(
            name: identity.provider.rawValue,
            methods: [],
            claims: identity.claims,
            signedInAt: identity.signedInAt
        )
    }

    init(_ passkey: AccountPasskey) {
        let credential = passkey.credential
        self.init(
            name: SignIn.Provider.passkey,
            methods: AccountPasskey.methods(of: credential),
            passkey: credential.id
        )
    }
}
