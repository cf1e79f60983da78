import Verification

/// Reads `sign_in.apple`.
struct AppleSignInReader {
    let node: DocumentNode

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: inout ReadingSession) -> AppleSignIn? {
        let path = node["path"].flatMap { paths.read($0, name: "path", isAppleExchange: true, &session) }
        let notifications = node["notifications"].flatMap { paths.read($0, name: "notifications", &session) }
        let then = node.text("then").flatMap(SignIn.Exchange.init(rawValue:))
        let legacy = readLegacyBody(then, &session)
        let web = node["web"].flatMap { readWeb($0, &session) }
        let keys = ProviderURLReader.read(in: node, "jwks_url", allowsQuery: true, &session)
        let authorize = ProviderURLReader.read(in: node, "authorize_url", &session)
        let token = ProviderURLReader.read(in: node, "token_url", &session)
        guard let path, let then else { return nil }
        var apple = AppleSignIn(
            path: path,
            clientIDs: node.texts("client_ids") ?? [],
            legacyBody: legacy,
            then: then,
            notifications: notifications,
            web: web
        )
        apple.nonce = node.text("nonce").flatMap(AppleSignIn.Nonce.init(rawValue:)) ?? apple.nonce
        apple.issuer = node.text("issuer") ?? apple.issuer
        if let keys { apple.keys.location = .keySet(url: keys) }
        apple.authorizeURL = authorize ?? apple.authorizeURL
        apple.tokenURL = token ?? apple.tokenURL
        return apple
    }

    private func readLegacyBody(
        _ then: SignIn.Exchange?,
        _ session: inout ReadingSession
    ) -> AppleSignIn.LegacyBody {
        guard let value = node["legacy_user_identifier"],
            let legacy = value.scalar.flatMap({ AppleSignIn.LegacyBody(rawValue: $0.text) }), legacy != .deny
        else { return .deny }
        if then == .issue {
            session.findings.error(
                value.place,
                "nobody gets the gateway's tokens for a name that proves nothing: write deny, or \"then: forward\""
            )
        } else {
            session.findings.warning(
                value.place,
                "who knows a user's name at Apple is let through as that user: use it for a migration only"
            )
        }
        return legacy
    }

    private func readWeb(_ web: DocumentNode, _ session: inout ReadingSession) -> AppleSignIn.Web? {
        let privateKey = web["private_key_file"].flatMap { readPrivateKey($0, &session) }
        guard let clientID = web.text("client_id"), let teamID = web.text("team_id"), let keyID = web.text("key_id")
        else { return nil }
        return AppleSignIn.Web(clientID: clientID, teamID: teamID, keyID: keyID, privateKey: privateKey)
    }

    /// - Returns: nil where there is none, which was reported: as a warning if only the file is not there yet.
    private func readPrivateKey(_ value: DocumentNode, _ session: inout ReadingSession) -> Secret? {
        guard let scalar = value.scalar, !scalar.text.isEmpty else { return nil }
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try session.files.read(session.resolve(scalar.text))
        } catch .notFound {
            session.findings.warning(
                value.place,
                "\"private_key_file\" is not there, \(scalar.shown): nobody can sign in with Apple in a browser until "
                    + "the gateway is started with it"
            )
            return nil
        } catch {
            session.findings.error(
                value.place,
                "\"private_key_file\" cannot be read, \(scalar.shown): \(error)"
            )
            return nil
        }
        guard let key = try? SigningKey(pem: bytes), key.algorithms.contains(.es256) else {
            session.findings.error(
                value.place,
                "\"private_key_file\" holds no private key for ES256, \(scalar.shown): give the .p8 file that Apple "
                    + "gave out"
            )
            return nil
        }
        return Secret(bytes)
    }
}

extension ProviderURLReader {
    /// The address of a key of a section; nil where there is none, or it cannot be used, which was reported.
    ///
    /// - Parameter allowsQuery: False where parameters of the request are put behind it.
    static func read(
        in section: DocumentNode,
        _ key: String,
        allowsQuery: Bool = false,
        _ session: inout ReadingSession
    ) -> String? {
        section[key].flatMap { read($0, name: "\"\(key)\"", allowsQuery: allowsQuery, &session) }
    }
}
