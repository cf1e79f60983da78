import Demo
import Testing
import Verification

extension GatewaySetup {
    /// The same with `delete_account` at the tenant `games`, and the stand-in's addresses for taking tokens back.
    func deletingAccounts() -> GatewaySetup {
        var setup = self
        let additions = [
            ("token_url: \"{apple_token}\"", "revoke_url: \"{apple_issuer}/auth/revoke\""),
            ("token_url: \"{google_token}\"", "revoke_url: \"{google_issuer}/revoke\""),
            (
                "endpoints: { refresh: /auth/refresh, logout: /auth/logout, me: /auth/me }",
                "delete_account: { path: DELETE /auth/account, call: { path: '/internal/users/{subject}' } }"
            ),
        ]
        setup.others = setup.others.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let text = line.drop { $0 == " " }
            guard let addition = additions.first(where: { text == $0.0 }) else { return String(line) }
            return "\(line)\n\(String(repeating: " ", count: line.count - text.count))\(addition.1)"
        }.joined(separator: "\n")
        return setup
    }
}

/// An app of the tenant `games` in which people delete their accounts.
struct DeletingApp {
    static let client = "com.example.games"
    static let path = "/auth/account"

    let app: AppClient
    let standIn: ProviderStandIn

    /// Signs in with Apple, with a code that is redeemed beside it.
    func signIn(_ user: ProviderUser, nonce: String) async throws -> (subject: String, access: String) {
        let body: JSONObject = [
            "identity_token": .string(try standIn.appleToken(user, for: Self.client, nonce: nonce)),
            "nonce": .string(nonce),
            "authorizationCode": .string(standIn.appCode(for: user, at: .apple, clientID: Self.client)),
        ]
        let response = try await app.post("/auth/apple", json: body)
        #expect(response.status == 200, "\(response.body.text)")
        let object = try #require(response.json)
        let subject = try #require(object["user"]?.object?["id"]?.string)
        return (subject, try #require(object["access_token"]?.string))
    }

    /// - Returns: The path of the receipt.
    func delete(_ access: String) async throws -> String {
        let response = try await app.request("DELETE", Self.path, token: access)
        #expect(response.status == 202, "\(response.body.text)")
        return try #require(response.fields["Location"].first)
    }

    /// The states of the steps.
    func states(_ receipt: String) async throws -> [String: String] {
        let steps = try #require(try await app.get(receipt).json?["steps"]?.array).compactMap(\.object)
        return Dictionary(uniqueKeysWithValues: steps.map { ($0["step"]?.string ?? "", $0["state"]?.string ?? "") })
    }
}
