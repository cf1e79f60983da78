/// A person who signs in to a sample app: any e-mail address, and always the same password.
struct SampleUser: Sendable, Equatable {
    static let password = "demo"

    let subject: String
    let email: String
    let role: String

    /// The subject follows from the address, so that a user is the same one after a restart.
    init(email: String, role: String) {
        subject = "user-" + String(email.prefix { $0 != "@" })
        self.email = email
        self.role = role
    }
}
