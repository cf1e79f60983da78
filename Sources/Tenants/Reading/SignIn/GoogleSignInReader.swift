import ConfigurationText

/// Reads `sign_in.google`.
struct GoogleSignInReader {
    let node: DocumentNode

    /// - Returns: nil if it cannot be read, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> GoogleSignIn? {
        let path = paths.read(Schema.exchange.path, in: node, session)
        let then = node.read(Schema.exchange.then)
        let web = node[Schema.google.web].flatMap { readWeb($0, session) }
        let keys = ProviderURLReader.read(Schema.google.jwksURL, in: node, allowsQuery: true, session)
        let userInfo = ProviderURLReader.read(Schema.google.userinfoURL, in: node, session)
        let tokenInfo = ProviderURLReader.read(Schema.google.tokeninfoURL, in: node, session)
        let authorize = ProviderURLReader.read(Schema.google.authorizeURL, in: node, session)
        let token = ProviderURLReader.read(Schema.google.tokenURL, in: node, session)
        let revoke = ProviderURLReader.read(Schema.google.revokeURL, in: node, session)
        guard let path, let then else { return nil }
        return GoogleSignIn(
            path: path,
            clientIDs: node.read(Schema.exchange.clientIDs) ?? [],
            then: then,
            web: web,
            issuers: Self.issuers(node),
            keys: RemoteKeySource(location: .keySet(url: keys)),
            userInfoURL: userInfo,
            tokenInfoURL: tokenInfo,
            authorizeURL: authorize,
            tokenURL: token,
            revokeURL: revoke
        )
    }

    /// Every `iss` of its tokens; a given one other than Google's replaces both forms of Google's.
    ///
    /// - Parameter node: The section, if there is one.
    static func issuers(_ node: DocumentNode?) -> [String] {
        let issuer = node.read(Schema.google.issuer)
        return issuer == Schema.google.issuer.default ? GoogleSignIn.defaultIssuers : [issuer]
    }

    private func readWeb(_ web: DocumentNode, _ session: ReadingSession) -> GoogleSignIn.Web? {
        let clientID = ClientText.read(Schema.googleWeb.clientID, in: web, session)
        let secret = web[Schema.googleWeb.clientSecret].flatMap {
            ClientSecretReader.read($0, provider: "Google", session)
        }
        guard let clientID, let secret else { return nil }
        return GoogleSignIn.Web(clientID: clientID, clientSecret: secret)
    }
}
