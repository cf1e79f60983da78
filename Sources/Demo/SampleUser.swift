/// A user of a sample app, who signs in with any e-mail address and a fixed password, or by the gateway.
struct SampleUser: Sendable, Equatable {
    static let password = "demo"

    let subject: String
    let email: String
    let role: String

    init(subject: String, email: String, role: String) {
        self.subject = subject
        self.email = email
        self.role = role
    }

    /// The subject is derived from the address, so that a user is the same after a restart.
    init(email: String, role: String) {
        self.init(subject: "user-" + String(email.prefix { $0 != "@" }), email: email, role: role)
    }
}
