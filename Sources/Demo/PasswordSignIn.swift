import Hummingbird
import Verification

/// The JSON sign-in of the sample apps: `{ "email", "password", "role"? }`.
struct PasswordSignIn: Sendable {
    let email: String
    let role: String?

    /// Nil unless `body` has an e-mail address and the demo's password.
    init?(_ body: JSONObject) {
        guard let email = body["email"]?.string, email.utf8.count <= 254, email.utf8.contains(UInt8(ascii: "@")),
            email.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            body["password"]?.string == SampleUser.password
        else { return nil }
        self.email = email
        role = body["role"]?.string
    }

    /// The response to an invalid sign-in.
    static let refused = Response.json(
        ["error": "send { \"email\": …, \"password\": \"demo\" }"],
        status: .unauthorized
    )
}

extension SampleUser {
    /// A user in responses.
    var json: JSONValue {
        ["id": .string(subject), "email": .string(email), "role": .string(role)]
    }

    /// The user of a verified token.
    init(_ principal: Principal) {
        self.init(
            subject: principal.subject ?? "",
            email: principal.claims["email"]?.string ?? "",
            role: principal.roles.first ?? ""
        )
    }
}
