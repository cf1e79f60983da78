public import Tenants

/// A person as confirmed by Apple or Google. Made only from signed tokens or a provider's own responses.
public struct ProviderIdentity: Sendable, Equatable {
    public let provider: SignIn.Provider
    /// The provider's `sub`.
    public let subject: String
    public let email: String?
    /// Whether the provider has verified the e-mail.
    public let isEmailVerified: Bool
    /// Whether the e-mail is one of Apple's relay addresses.
    public let isPrivateEmail: Bool
    /// For display; nil if the provider gives none.
    public let name: String?

    init(
        provider: SignIn.Provider,
        subject: String,
        email: String? = nil,
        isEmailVerified: Bool = false,
        isPrivateEmail: Bool = false,
        name: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isPrivateEmail = isPrivateEmail
        self.name = name
    }
}
