import Tenants
import Time
import Verification

extension ProviderIdentity {
    /// Bytes of a `sub` (OpenID Connect Core 1.0 section 2).
    private static let longestSubject = 255

    /// Whether `text` is a valid `sub`, and may be written in a header field.
    package static func isSubject(_ text: String) -> Bool { PlainText.isValid(text, longest: longestSubject) }

    /// The identity in the claims of a verified token or response.
    ///
    /// - Returns: Nil if `sub` is missing, longer than 255 bytes, or not valid in a header field. An e-mail that is not
    ///   a single address is omitted.
    init?(_ claims: JSONObject, of provider: SignIn.Provider) {
        guard let subject = claims["sub"]?.string, Self.isSubject(subject) else { return nil }
        let email = claims["email"]?.string.flatMap { ProviderEmail.isValid($0) ? $0 : nil }
        self.init(
            provider: provider,
            subject: subject,
            email: email,
            isEmailVerified: email != nil && Self.isTrue(claims["email_verified"]),
            isPrivateEmail: provider == .apple
                && email.map { ProviderEmail.isRelay($0) || Self.isTrue(claims["is_private_email"]) } ?? false,
            name: GivenName.read(claims["name"]),
            signedInAt: Self.signInTime(claims),
            transferSubject: provider == .apple
                ? claims["transfer_sub"]?.string.flatMap { Self.isSubject($0) ? $0 : nil } : nil
        )
    }

    /// When the owner of an ID token signed in (`auth_time`, OpenID Connect Core 1.0 section 2).
    static func signInTime(_ claims: JSONObject) -> UnixTime? {
        claims["auth_time"]?.double.flatMap { $0 > 0 ? UnixTime($0) : nil }
    }

    /// Whether a claim is true, as a boolean or as a string: Apple sends either, Google's token info only strings.
    static func isTrue(_ claim: JSONValue?) -> Bool {
        switch claim {
        case .bool(let flag)?: flag
        case .string(let text)?: text.utf8.elementsEqual("true".utf8)
        case .null?, .number?, .array?, .object?, nil: false
        }
    }
}
