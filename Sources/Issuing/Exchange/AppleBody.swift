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

    init(_ request: EndpointRequest) throws(EndpointRefusal) {
        let body = try ExchangeBody(request)
        identityToken = try body.text("identity_token", or: "id_token")
        nonce = try body.text("nonce")
        userIdentifier = try body.text("userIdentifier")
        // Anyone can write any address there. Only the token's counts.
        _ = try body.text("email")
        names = ["full_name", "name"].compactMap { body[$0] }
    }
}
