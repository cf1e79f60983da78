public import Verification

/// A user with an account at Apple or Google.
public struct ProviderUser: Sendable, Equatable {
    /// The provider's `sub`.
    public var subject: String
    public var email: String
    /// In Apple's form, a string or a boolean.
    public var emailVerified: JSONValue
    /// Whether the e-mail is one of Apple's relay addresses.
    public var isPrivateEmail: Bool
    public var givenName: String
    public var familyName: String

    public init(
        subject: String,
        email: String,
        emailVerified: JSONValue = true,
        isPrivateEmail: Bool = false,
        givenName: String = "Alice",
        familyName: String = "Example"
    ) {
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.isPrivateEmail = isPrivateEmail
        self.givenName = givenName
        self.familyName = familyName
    }

    public var name: String { "\(givenName) \(familyName)" }

    /// Whether the e-mail is verified, in either form.
    var isEmailVerified: Bool { emailVerified == true || emailVerified == "true" }
}
