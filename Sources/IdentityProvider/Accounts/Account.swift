public import Tenants
public import Time
public import Verification

/// A user who has signed in before, as known to the tenants of a realm.
public struct Account: Sendable, Equatable {
    /// A provider and its identifier for the account's owner.
    public struct Identity: Sendable, Hashable {
        public var provider: SignIn.Provider
        public var subject: String

        package init(provider: SignIn.Provider, subject: String) {
            self.provider = provider
            self.subject = subject
        }
    }

    /// The `sub` of its tokens: 128 random bits in base64url, or the account hook's value.
    public var subject: String
    public var role: String?
    public var email: String?
    public var isEmailVerified = false
    public var isPrivateEmail = false
    public var name: String?
    public var identities: [Identity] = []
    /// At most ``AccountPasskey/most``, in the order in which they were added.
    public var passkeys: [AccountPasskey] = []
    /// Claims that the account hook adds to its tokens.
    public var claims = JSONObject()
    public var createdAt: UnixTime
}

extension Account {
    /// The claims of its tokens that the granted scopes allow (OpenID Connect Core section 5.4), and those that decide
    /// on access.
    ///
    /// - Parameters:
    ///   - scopes: Nil for the tenant's own apps, which get all.
    ///   - given: Claims that the provider gave with this sign-in. Those of the account and of its hook replace them.
    public func tokenClaims(_ scopes: [String]?, beside given: JSONObject = JSONObject()) -> JSONObject {
        var object = AccessTokenClaims.withoutReserved(given)
        for member in claims.members { object[member.name] = member.value }
        if scopes?.contains("email") ?? true, let email {
            object["email"] = .string(email)
            object["email_verified"] = .bool(isEmailVerified)
            if isPrivateEmail { object["is_private_email"] = true }
        }
        if scopes?.contains("profile") ?? true, let name { object["name"] = .string(name) }
        if let role { object["role"] = .string(role) }
        return object
    }

    /// Those, and how the owner was authenticated (`amr`, `acr`).
    ///
    /// - Parameter methods: `amr` (RFC 8176); empty where a provider did it, which is not asked how.
    func tokenClaims(
        _ scopes: [String]?,
        beside given: JSONObject = JSONObject(),
        methods: [String]
    ) -> JSONObject {
        var object = tokenClaims(scopes, beside: given)
        if let contextClass = AuthenticationContext.of(methods: methods) { object["acr"] = .string(contextClass) }
        object["amr"] = methods.isEmpty ? object["amr"] : .array(methods.map(JSONValue.string))
        return object
    }

    /// The part that apps display: `user` in responses.
    public var user: JSONObject {
        var object: JSONObject = ["id": .string(subject), "sub": .string(subject)]
        for member in tokenClaims(nil).members where object[member.name] == nil { object[member.name] = member.value }
        object["providers"] = .array(
            identities.map(\.provider.rawValue).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
                .map(JSONValue.string)
        )
        return object
    }
}

/// Why a sign-in that a provider confirmed is refused here.
public enum AccountProblem: Error, Sendable, Equatable {
    /// The account has another role in this realm, which is this one: 409.
    case otherRole(String)
    /// The account hook refuses: its status (400 to 499) and its message for users.
    case refusedByHook(status: Int, message: String)
    /// The tenant's `who` does not let this person in.
    case notAllowed
    /// The store or the account hook is unavailable.
    case unavailable(EndpointRefusal)
}

extension AccountProblem {
    /// The result for an app.
    public var result: EndpointResult {
        switch self {
        case .otherRole(let role): .response(.json(["error": .string(Self.message(ofRole: role))], status: 409))
        case .refusedByHook(let status, let message): .response(.json(["error": .string(message)], status: status))
        case .notAllowed: .refused(.notAllowed)
        case .unavailable(let refusal): .refused(refusal)
        }
    }

    /// For an app's users; pages have texts of their own.
    private static func message(ofRole role: String) -> String {
        let isVowel = role.utf8.first.map { "aeiouAEIOU".utf8.contains($0) } ?? false
        return "This account is registered as \(isVowel ? "an" : "a") \(role)"
    }
}
