/// A valid authorization request at a provider (RFC 6749 section 4.1.1).
struct ProviderAuthorizationRequest: Sendable {
    let clientID: String
    /// Nil for a code that an app gets.
    let redirectURI: String?
    let scopes: [String]
    let state: String?
    let nonce: String?
    /// RFC 7636 section 4.2, with S256; nil at Apple, which does not support PKCE.
    let codeChallenge: String?
    /// `response_mode=form_post`.
    let isPosted: Bool
    /// Whether there is a refresh token too: always at Apple, with `access_type=offline` at Google.
    let isOffline: Bool

    var scope: String { scopes.joined(separator: " ") }
}

extension ProviderAuthorizationRequest {
    /// By Apple's rules: name and e-mail need `form_post`.
    init(_ parameters: FormParameters, appleClients clients: [String: AppleClient]) throws(StandInRefusal) {
        let mode = parameters["response_mode"] ?? "query"
        guard ["query", "fragment", "form_post"].contains(mode) else { throw .request("response_mode is unknown") }
        let clientID = try parameters.require("client_id")
        guard let client = clients[clientID] else {
            throw StandInRefusal(status: 400, error: "invalid_client", reason: "client_id is not a Services ID")
        }
        try self.init(
            parameters,
            clientID: clientID,
            redirectTargets: client.redirectTargets,
            codeChallenge: nil,
            mode: mode
        )
        guard scopes.allSatisfy(["name", "email"].contains) else {
            throw .request("scope has more than name and email")
        }
        guard scopes.isEmpty || isPosted else {
            throw .request("response_mode must be form_post when name or email scope is requested")
        }
    }

    /// By Google's rules, with PKCE, which the gateway always uses.
    init(_ parameters: FormParameters, googleClients clients: [String: GoogleClient]) throws(StandInRefusal) {
        let clientID = try parameters.require("client_id")
        guard let client = clients[clientID] else {
            throw StandInRefusal(status: 401, error: "invalid_client", reason: "The OAuth client was not found.")
        }
        guard parameters["response_mode"] == nil else { throw .request("response_mode is unknown") }
        guard parameters["code_challenge_method"] == "S256" else { throw .request("code_challenge_method is not S256") }
        let challenge = try parameters.require("code_challenge")
        guard challenge.utf8.count == 43 else { throw .request("code_challenge is not a SHA-256") }
        try self.init(
            parameters,
            clientID: clientID,
            redirectTargets: client.redirectTargets,
            codeChallenge: challenge,
            mode: "query"
        )
        guard scopes.contains("openid"), scopes.allSatisfy(["openid", "email", "profile"].contains) else {
            throw .request("scope is not made of openid, email and profile, with openid")
        }
    }

    private init(
        _ parameters: FormParameters,
        clientID: String,
        redirectTargets: [RedirectTarget],
        codeChallenge: String?,
        mode: String
    ) throws(StandInRefusal) {
        guard try parameters.require("response_type") == "code" else { throw .request("response_type is not code") }
        let redirectURI = try parameters.require("redirect_uri")
        guard redirectTargets.contains(where: { $0.allows(redirectURI) }) else {
            throw .request("redirect_uri is not registered")
        }
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        scopes = parameters["scope"]?.split(separator: " ").map(String.init) ?? []
        state = parameters["state"]
        nonce = parameters["nonce"]
        isPosted = mode == "form_post"
        isOffline = parameters["access_type"] == "offline"
    }

    /// An app's own, in which no browser takes part: without a redirect URI at Apple, and with an empty one at Google.
    init(ofApp clientID: String) {
        self.clientID = clientID
        redirectURI = nil
        scopes = ["openid", "email"]
        state = nil
        nonce = nil
        codeChallenge = nil
        isPosted = false
        isOffline = true
    }
}
