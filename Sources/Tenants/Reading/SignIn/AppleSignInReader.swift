import ConfigurationText
import Verification

/// Reads `sign_in.apple`.
struct AppleSignInReader {
    let node: DocumentNode

    /// - Returns: nil if it cannot be read, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> AppleSignIn? {
        let path = paths.read(Schema.exchange.path, in: node, isAppleExchange: true, session)
        let notifications = paths.read(Schema.apple.notifications, in: node, session)
        let then = node.read(Schema.exchange.then)
        let legacy = readLegacyBody(then, session)
        let web = node[Schema.apple.web].flatMap { readWeb($0, session) }
        let keys = ProviderURLReader.read(Schema.apple.jwksURL, in: node, allowsQuery: true, session)
        let authorize = ProviderURLReader.read(Schema.apple.authorizeURL, in: node, session)
        let token = ProviderURLReader.read(Schema.apple.tokenURL, in: node, session)
        let revoke = ProviderURLReader.read(Schema.apple.revokeURL, in: node, session)
        guard let path, let then else { return nil }
        return AppleSignIn(
            path: path,
            clientIDs: node.read(Schema.exchange.clientIDs) ?? [],
            nonce: node.read(Schema.apple.nonce),
            legacyBody: legacy,
            then: then,
            notifications: notifications,
            web: web,
            issuer: node.read(Schema.apple.issuer),
            keys: AppleSignIn.keys(at: keys),
            authorizeURL: authorize,
            tokenURL: token,
            revokeURL: revoke
        )
    }

    private func readLegacyBody(_ then: SignIn.Exchange?, _ session: ReadingSession) -> AppleSignIn.LegacyBody {
        let legacy = node.read(Schema.apple.legacyUserIdentifier)
        guard legacy != .deny, let value = node[Schema.apple.legacyUserIdentifier] else { return .deny }
        if then == .issue {
            session.at(value).error(
                "nobody gets the gateway's tokens for a name that proves nothing: write deny, or \"then: forward\""
            )
        } else {
            session.at(value)
                .warning("anyone who knows a user's Apple name can sign in as that user: use it for a migration only")
        }
        return legacy
    }

    private func readWeb(_ web: DocumentNode, _ session: ReadingSession) -> AppleSignIn.Web? {
        let privateKey = readPrivateKey(of: web, session)
        guard let clientID = web.read(Schema.appleWeb.clientID), let teamID = web.read(Schema.appleWeb.teamID),
            let keyID = web.read(Schema.appleWeb.keyID)
        else { return nil }
        return AppleSignIn.Web(clientID: clientID, teamID: teamID, keyID: keyID, privateKey: privateKey)
    }

    /// - Returns: nil if there is none, which was reported.
    private func readPrivateKey(of web: DocumentNode, _ session: ReadingSession) -> Secret? {
        guard let inline = web[Schema.appleWeb.privateKey] else {
            return web[Schema.appleWeb.privateKeyFile].flatMap { readPrivateKey($0, session) }
        }
        if let file = web.entry(Schema.appleWeb.privateKeyFile) {
            session.at(file).error("Apple's key is in \"private_key\" already: keep one of the two")
        }
        guard let scalar = inline.scalar else { return nil }
        guard !scalar.text.isEmpty else { return session.at(inline).refuse("\"private_key\" is empty: fill it in") }
        let pem = EnvironmentPEM.bytes(Array(scalar.text.utf8))
        guard let key = try? SigningKey(pem: pem), key.algorithms.contains(.es256) else {
            let source = scalar.variables.isEmpty ? "" : " (from \(scalar.variables.joined(separator: ", ")))"
            return session.at(inline).refuse(
                "\"private_key\"\(source) holds no private key for ES256: give the content of the .p8 file that Apple "
                    + "gave out"
            )
        }
        return Secret(pem)
    }

    /// - Returns: nil if there is none, which was reported: as a warning if the file does not exist yet.
    private func readPrivateKey(_ value: DocumentNode, _ session: ReadingSession) -> Secret? {
        guard let scalar = value.filled else { return nil }
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try session.files.read(session.resolve(scalar.text))
        } catch .notFound {
            session.at(value).warning(
                "\"private_key_file\" is not there, \(scalar.shown): nobody can sign in with Apple in a browser until "
                    + "the gateway is started with it"
            )
            return nil
        } catch {
            return session.at(value).refuse("\"private_key_file\" cannot be read, \(scalar.shown): \(error)")
        }
        guard let key = try? SigningKey(pem: bytes), key.algorithms.contains(.es256) else {
            return session.at(value).refuse(
                "\"private_key_file\" holds no private key for ES256, \(scalar.shown): give the .p8 file that Apple "
                    + "gave out"
            )
        }
        return Secret(bytes)
    }
}
