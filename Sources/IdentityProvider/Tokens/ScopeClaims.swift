import Verification

/// The claims that each scope requests (OpenID Connect Core section 5.4). Any other scope requests the claim of its
/// name.
enum ScopeClaims {
    private static let names: [String: Set<String>] = [
        "profile": [
            "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
            "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
        ],
        "email": ["email", "email_verified", "is_private_email"],
        "address": ["address"],
        "phone": ["phone_number", "phone_number_verified"],
    ]

    /// Those of `claims` that these scopes request.
    static func asked(by scopes: [String], of claims: JSONObject) -> JSONObject {
        var asked = JSONObject()
        for member in claims.members where isAsked(member.name, by: scopes) { asked[member.name] = member.value }
        return asked
    }

    /// `claims` without those that these scopes request.
    static func removing(_ scopes: [String], from claims: JSONObject) -> JSONObject {
        var rest = claims
        for member in claims.members where isAsked(member.name, by: scopes) { rest[member.name] = nil }
        return rest
    }

    private static func isAsked(_ claim: String, by scopes: [String]) -> Bool {
        scopes.contains { names[$0]?.contains(claim) ?? $0.utf8.elementsEqual(claim.utf8) }
    }
}
