import Demo

extension SampleAppName {
    /// What is special about the app, in one line.
    var about: String {
        switch self {
        case .customer: "bearer tokens of its own backend, refreshed on the way"
        case .driver: "the same backend, another app; an account has one role"
        case .finance: "a token in an httpOnly cookie; nothing is refreshed"
        case .chat: "sign-in with Google and Apple; cookies on the web, bearer tokens on phones"
        case .clans: "the gateway is its OpenID provider"
        }
    }

    /// Whether it had another issuer before, whose sessions are adopted.
    var adoptsSessions: Bool { self == .clans }

    /// A path that only a signed-in caller gets.
    var resource: String {
        switch self {
        case .customer, .driver: "/api/jobs"
        case .finance: "/api/accounts"
        case .chat: "/api/messages"
        case .clans: "/api/v1/clans"
        }
    }
}
