import Verification

/// The body that an app posts after Sign in with Apple.
struct AppleBody: Sendable {
    let identityToken: String?
    /// The raw nonce, whose hash is in the token.
    let nonce: String?
    /// Apple's identifier for the user, as the app received it.
    let userIdentifier: String?
    /// The user's name as the app received it, from either member that may have it. Apple sends it once, at the first
    /// sign-in, and puts it in no token.
    let names: [JSONValue]
    /// Apple's authorization code, where the gateway redeems it.
    let authorizationCode: String?
    private let body: ExchangeBody

    private static let members = [
        "identity_token", "id_token", "nonce", "userIdentifier", "email", "full_name", "name",
    ]

    private static let codeMembers = ["authorizationCode", "authorization_code"]

    /// - Parameter takesCode: Whether the body may have Apple's authorization code.
    init(_ request: EndpointRequest, takesCode: Bool = false) throws(EndpointRefusal) {
        let body = try ExchangeBody(request, members: Self.members + (takesCode ? Self.codeMembers : []))
        identityToken = try body.text("identity_token", or: "id_token")
        nonce = try body.text("nonce")
        authorizationCode =
            takesCode ? try body.text(Self.codeMembers[0], or: Self.codeMembers[1]) : nil
        userIdentifier = try body.text("userIdentifier")
        // Anyone can write any address there. Only the token's counts; they are compared once the token is verified.
        _ = try body.text("email")
        names = ["full_name", "name"].compactMap { body[$0] }
        self.body = body
    }

    /// For a body that a backend reads too.
    ///
    /// - Throws: A refusal if it contradicts the token.
    func check(_ identity: ProviderIdentity) throws(EndpointRefusal) {
        try checkSubject(identity)
        try body.checkEmail(identity)
    }

    func checkSubject(_ identity: ProviderIdentity) throws(EndpointRefusal) {
        if let userIdentifier, !userIdentifier.utf8.elementsEqual(identity.subject.utf8) {
            throw .invalidToken("userIdentifier is not the identity token's subject")
        }
    }
}
