/// Reads `sign_in.google`.
struct GoogleSignInReader {
    let node: DocumentNode

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: inout ReadingSession) -> GoogleSignIn? {
        let path = node["path"].flatMap { paths.read($0, name: "path", &session) }
        let then = node.text("then").flatMap(SignIn.Exchange.init(rawValue:))
        let web = node["web"].flatMap { readWeb($0, &session) }
        let keys = ProviderURLReader.read(in: node, "jwks_url", allowsQuery: true, &session)
        let userInfo = ProviderURLReader.read(in: node, "userinfo_url", &session)
        let tokenInfo = ProviderURLReader.read(in: node, "tokeninfo_url", &session)
        let authorize = ProviderURLReader.read(in: node, "authorize_url", &session)
        let token = ProviderURLReader.read(in: node, "token_url", &session)
        guard let path, let then else { return nil }
        var google = GoogleSignIn(path: path, clientIDs: node.texts("client_ids") ?? [], then: then, web: web)
        google.issuers = Self.issuers(node)
        if let keys { google.keys.location = .keySet(url: keys) }
        google.userInfoURL = userInfo ?? google.userInfoURL
        google.tokenInfoURL = tokenInfo ?? google.tokenInfoURL
        google.authorizeURL = authorize ?? google.authorizeURL
        google.tokenURL = token ?? google.tokenURL
        return google
    }

    /// Every `iss` of its tokens; one that is given and is not Google's own takes the place of both forms of that.
    ///
    /// - Parameter node: The section, if there is one.
    static func issuers(_ node: DocumentNode?) -> [String] {
        guard let given = node?.text("issuer"), given != GoogleSignIn.standardIssuers.first else {
            return GoogleSignIn.standardIssuers
        }
        return [given]
    }

    private func readWeb(_ web: DocumentNode, _ session: inout ReadingSession) -> GoogleSignIn.Web? {
        let clientID = web["client_id"].flatMap { ClientText.read($0, name: "client_id", &session) }
        let secret = web["client_secret"].flatMap { ClientSecretReader.read($0, provider: "Google", &session) }
        guard let clientID, let secret else { return nil }
        return GoogleSignIn.Web(clientID: clientID, clientSecret: secret)
    }
}
