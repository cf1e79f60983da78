public import Tenants
public import Time
public import Verification

/// A person as confirmed by an identity provider. Made only from signed tokens or a provider's own responses.
public struct ProviderIdentity: Sendable, Equatable {
    public let provider: SignIn.Provider
    /// The provider's `sub`.
    public let subject: String
    public private(set) var email: String?
    /// Whether the provider has verified the e-mail.
    public private(set) var isEmailVerified = false
    /// Whether the e-mail is one of Apple's relay addresses.
    public private(set) var isPrivateEmail = false
    /// For display; nil if the provider gives none.
    public private(set) var name: String?
    /// Claims for the session (`claims` of a named provider), at most 4 KiB of JSON.
    public private(set) var claims = JSONObject()
    /// For `who`, at a named provider.
    public private(set) var groups: [String] = []
    /// When they signed in there (`auth_time`); nil if the provider does not say.
    public internal(set) var signedInAt: UnixTime?
    /// What Apple called the person towards this team before the app came to it from another.
    public internal(set) var transferSubject: String?
    /// A refresh token that the provider gave with it.
    var given: GivenToken?
}
