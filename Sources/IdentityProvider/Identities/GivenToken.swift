/// A refresh token that a provider gave with a sign-in, with its client.
public struct GivenToken: Sendable, Equatable {
    private static let longest = 2048

    package let clientID: String
    package let token: String

    /// - Parameter token: As the provider gave it.
    /// - Returns: Nil if there is none, or none that could be sent.
    package init?(clientID: String, token: String?) {
        guard let token, PlainText.isVisible(token, longest: Self.longest) else { return nil }
        self.clientID = clientID
        self.token = token
    }
}

extension GivenToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "<token for \(clientID), redacted>" }
    public var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}
