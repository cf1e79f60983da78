import HTTPTypes
import Hummingbird

/// The people whom the gateway has verified at a provider, and has sent on to sign in here.
actor VerifiedSignIns {
    enum Outcome: Sendable, Equatable {
        case signedIn(SampleUser)
        /// Registered in this role, which is another app's.
        case registered(role: String)
    }

    private var users = BoundedTable<String, SampleUser>()

    /// The account of whom `request` speaks of, made at the first sign-in in the role of the app.
    ///
    /// An account is called what the provider calls the person, so that the gateway can end its tokens when the provider
    /// says that they are to end.
    ///
    /// - Returns: Nil where the gateway has verified nobody: only its fields count, whatever the body says.
    func enter(_ request: Request, role: String) -> Outcome? {
        guard let subject = Self.field("X-Verified-Subject", of: request),
            let provider = Self.field("X-Verified-Provider", of: request)
        else { return nil }
        let account = "\(provider) \(subject)"
        if let known = users[account] {
            return known.role == role ? .signedIn(known) : .registered(role: known.role)
        }
        let user = SampleUser(subject: subject, email: Self.field("X-Verified-Email", of: request) ?? "", role: role)
        users.set(user, for: account)
        return .signedIn(user)
    }

    private static func field(_ name: String, of request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }
}
