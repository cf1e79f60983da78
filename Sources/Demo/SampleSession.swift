/// The tokens of somebody who is signed in to a sample app.
public struct SampleSession: Sendable, Equatable {
    public let accessToken: String
    /// Nil in the apps that have none.
    public let refreshToken: String?

    public init(accessToken: String, refreshToken: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}
