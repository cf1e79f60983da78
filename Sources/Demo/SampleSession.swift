/// The tokens of a user signed in to a sample app.
public struct SampleSession: Sendable, Equatable {
    public let accessToken: String
    /// Nil in the apps without refresh tokens.
    public let refreshToken: String?

    public init(accessToken: String, refreshToken: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}
