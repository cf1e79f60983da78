import HTTPTypes
import Hummingbird
import Time

/// Users that the gateway has verified at a provider and forwarded to sign in here.
actor VerifiedSignIns {
    enum Outcome: Sendable, Equatable {
        case signedIn(SampleUser)
        /// Registered in this role, which belongs to another app.
        case registered(role: String)
    }

    private var users = BoundedMap<String, SampleUser, Never>(capacity: 10_000)

    /// The account named by `request`, created at the first sign-in with the role of the app.
    ///
    /// An account's subject is the provider's, so that the gateway can end its tokens when the provider says so.
    ///
    /// - Returns: Nil if the gateway has not verified a user: only its fields count, whatever the body contains.
    func enter(_ request: Request, role: String) -> Outcome? {
        guard let subject = Self.field("X-Verified-Subject", of: request),
            let provider = Self.field("X-Verified-Provider", of: request)
        else { return nil }
        let account = "\(provider) \(subject)"
        if let known = users[account] {
            return known.role == role ? .signedIn(known) : .registered(role: known.role)
        }
        let user = SampleUser(subject: subject, email: Self.field("X-Verified-Email", of: request) ?? "", role: role)
        users.insert(user, for: account)
        return .signedIn(user)
    }

    private static func field(_ name: String, of request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }
}
