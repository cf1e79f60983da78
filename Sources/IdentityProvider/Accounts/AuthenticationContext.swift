/// Authentication context classes (`acr`) of the issuer.
enum AuthenticationContext {
    /// Phishing-resistant (OpenID Connect Extended Authentication Profile ACR Values 1.0): every passkey, by its
    /// owner's PIN, finger or face.
    static let phishingResistant = "phr"

    /// - Parameter methods: `amr`, as a sign-in of ours has it.
    /// - Returns: Nil where a provider signed in: what it asked for is not known.
    static func of(methods: [String]) -> String? {
        let isKey = methods.contains { $0 == "hwk" || $0 == "swk" }
        return isKey && methods.contains("mfa") ? phishingResistant : nil
    }
}
