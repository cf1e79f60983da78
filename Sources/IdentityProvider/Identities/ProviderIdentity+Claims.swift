import Tenants
import Verification

extension ProviderIdentity {
    /// OpenID Connect Core 1.0 section 2.
    private static let longestSubject = 255

    /// Whether `text` can be a `sub`, and stand in a header field.
    static func isSubject(_ text: String) -> Bool { PlainText.isGood(text, longest: longestSubject) }

    /// Who is meant by the claims of a token, or of an answer, that was found good.
    ///
    /// - Returns: Nil if `sub` is missing, longer than 255 bytes, or cannot stand in a header field. An e-mail that is
    ///   not one address is left out.
    init?(_ claims: JSONObject, of provider: SignIn.Provider) {
        guard let subject = claims["sub"]?.string, Self.isSubject(subject) else { return nil }
        let email = claims["email"]?.string.flatMap { ProviderEmail.isGood($0) ? $0 : nil }
        self.init(
            provider: provider,
            subject: subject,
            email: email,
            isEmailVerified: email != nil && Self.isTrue(claims["email_verified"]),
            isPrivateEmail: provider == .apple
                && email.map { ProviderEmail.isRelay($0) || Self.isTrue(claims["is_private_email"]) } ?? false,
            name: GivenName.read(claims["name"])
        )
    }

    /// Apple writes its flags as text or as booleans, and Google's token info as text.
    static func isTrue(_ claim: JSONValue?) -> Bool {
        switch claim {
        case .bool(let flag)?: flag
        case .string(let text)?: text.utf8.elementsEqual("true".utf8)
        case .null?, .number?, .array?, .object?, nil: false
        }
    }
}
