import Tenants
import Verification

/// What is kept of an identity to ask again whether it may sign in (`who`, the account's role).
extension ProviderIdentity {
    var json: JSONObject {
        var object: JSONObject = ["sub": .string(subject)]
        if let email { object["email"] = .string(email) }
        if isEmailVerified { object["verified"] = true }
        if !groups.isEmpty { object["groups"] = .array(groups.map(JSONValue.string)) }
        return object
    }

    /// - Parameter name: The provider's.
    /// - Returns: Nil for anything but what ``json`` gives.
    init?(kept object: JSONObject, provider name: String) {
        guard let provider = SignIn.Provider(rawValue: name), let subject = object["sub"]?.string else { return nil }
        self.init(
            provider: provider,
            subject: subject,
            email: object["email"]?.string,
            isEmailVerified: object["verified"]?.bool ?? false,
            groups: object["groups"]?.stringOrStrings ?? []
        )
    }

    /// Only what ``json`` keeps.
    var kept: ProviderIdentity? { ProviderIdentity(kept: json, provider: provider.rawValue) }
}
