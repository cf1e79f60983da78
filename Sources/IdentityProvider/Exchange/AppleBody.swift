import Verification

/// What an app posts after Sign in with Apple.
struct AppleBody: Sendable {
    let identityToken: String?
    /// The raw one, whose hash is in the token.
    let nonce: String?
    /// What the app was told that the user is called at Apple.
    let userIdentifier: String?
    /// What the app was told of the user's name, from either member that it may be in. Apple tells it once, at the
    /// first sign-in, and puts it in no token.
    let names: [JSONValue]
    private let body: ExchangeBody

    private static let members = [
        "identity_token", "id_token", "nonce", "userIdentifier", "email", "full_name", "name",
    ]

    init(_ request: EndpointRequest) throws(EndpointRefusal) {
        let body = try ExchangeBody(request, members: Self.members)
        identityToken = try body.text("identity_token", or: "id_token")
        nonce = try body.text("nonce")
        userIdentifier = try body.text("userIdentifier")
        // Anyone can write any address there. Only the token's counts, and they are compared when that is known.
        _ = try body.text("email")
        names = ["full_name", "name"].compactMap { body[$0] }
        self.body = body
    }

    /// For a body that a backend reads too.
    ///
    /// - Throws: A refusal where it says of somebody what the token does not.
    func check(_ identity: ProviderIdentity) throws(EndpointRefusal) {
        try checkSubject(identity)
        try body.checkEmail(identity)
    }

    func checkSubject(_ identity: ProviderIdentity) throws(EndpointRefusal) {
        if let userIdentifier, !userIdentifier.utf8.elementsEqual(identity.subject.utf8) {
            throw .invalidToken("userIdentifier is not the one that the identity token is of")
        }
    }
}
