/// Why users cannot be taken along to another Apple team.
public enum AppleTransferProblem: Error, Sendable, Equatable {
    /// Apple refuses the client, with its `error`.
    case refusedClient(String)
    /// Apple has refused each of so many users.
    case refusesEveryone(Int)
    /// Apple knows no such user, or not for this team.
    case unknownUser
    /// Apple does not respond, or too often with an error.
    case unavailable
    /// What Apple responds is not what it documents.
    case garbled
    /// The key is no P-256 private key in PEM, or cannot sign.
    case unusableKey
    case store(String)
    case cancelled
}

extension AppleTransferProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refusedClient(let error):
            "Apple refuses the gateway as a client (\(error)): check that client ID, team ID, key ID and key file are of one "
                + "team, that the key is allowed for Sign in with Apple, and that the app is of that team just now"
        case .refusesEveryone(let count):
            "Apple refuses all \(count) users that it was asked about: check that the client ID is that of the app that moves, the team "
                + "that of these users, and --to-team the one that accepts the app"
        case .unknownUser: "Apple does not know the user"
        case .unavailable: "Apple does not respond: start the command again later, and it goes on where it stopped"
        case .garbled: "what responds is not Apple: check sign_in.apple.token_url"
        case .unusableKey: "the key is not a P-256 private key in PEM: give the .p8 file that Apple gave out"
        case .store(let reason): "\(reason): start the command again, and it goes on where it stopped"
        case .cancelled: "stopped: start the command again, and it goes on where it stopped"
        }
    }
}
