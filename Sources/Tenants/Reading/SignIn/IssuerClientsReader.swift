import ConfigurationText

/// Reads `issuer.clients`.
enum IssuerClientsReader {
    /// The clients in the order of the file; malformed ones are reported and left out.
    ///
    /// - Parameter tenant: The section of the issuer's tenant.
    static func read(_ items: [DocumentNode], tenant: DocumentNode, _ session: ReadingSession) -> [IssuerClient] {
        var places: [String: Position] = [:]
        var clients: [IssuerClient] = []
        for item in items {
            guard case .map = item.content else { continue }
            let id = ClientText.read(Schema.client.id, in: item, session)
            if let id, let position = item[Schema.client.id]?.position {
                if let first = places[id] {
                    let place = session.place(of: first, from: position)
                    session.at(position).error("this client is in \(place) already: give it another \"id\"")
                }
                places[id] = places[id] ?? position
            }
            if var client = client(item, id ?? "", session), id != nil {
                readBinding(item, of: &client, tenant, session)
                client.backChannelLogout = readBackChannelLogout(item, session)
                clients.append(client)
            }
        }
        return clients
    }

    private static func client(_ node: DocumentNode, _ id: String, _ session: ReadingSession) -> IssuerClient? {
        let credentials = ClientCredentialsReader(node: node).read(session)
        let redirects = addresses(Schema.client.redirectURIs, node, session)
        let logouts = addresses(Schema.client.postLogoutRedirectURIs, node, session)
        let scopes = node.given(Schema.client.scopes).map { readScopes($0, session) } ?? []
        var client = IssuerClient(
            id: id,
            secret: credentials.secret,
            redirectURIs: redirects,
            postLogoutRedirectURIs: logouts,
            frontChannelLogoutURI: readFrontChannelLogout(node, session),
            frontChannelLogoutNeedsSession: node.read(Schema.client.frontChannelLogoutSessionRequired),
            scopes: scopes
        )
        client.secretMethod = credentials.secretMethod
        client.keys = credentials.keys
        client.requiresPKCE = node.read(Schema.client.requirePKCE) ?? false
        if node.read(Schema.client.isPublic), node.read(Schema.client.requirePKCE) == false {
            session.at(node.entry(Schema.client.requirePKCE)?.keyPosition ?? node.position)
                .error("a public client always needs PKCE: leave \"require_pkce\" out")
        }
        return client
    }

    /// OpenID Connect Front-Channel Logout 1.0 section 2: on the host of a redirect URI.
    private static func readFrontChannelLogout(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        let key = Schema.client.frontChannelLogoutURI
        guard let scalar = node[key]?.filled, let value = node[key] else {
            if node.read(Schema.client.frontChannelLogoutSessionRequired),
                let required = node.entry(Schema.client.frontChannelLogoutSessionRequired)
            {
                session.at(required.keyPosition).error(
                    "nothing is loaded when people sign out: add \"\(key.name)\", or leave this out"
                )
            }
            return nil
        }
        let fault =
            "\"\(key.name)\" must be the URL of a page of the client, but \(scalar.shown) is none that can be used"
        guard session.at(value).value(of: try ReturnAddress.checked(scalar.text, allowsApps: false), or: fault) != nil
        else { return nil }
        let redirects = node[Schema.client.redirectURIs]?.items.compactMap { $0.scalar?.text } ?? []
        guard redirects.contains(where: { origin(of: $0).utf8.elementsEqual(origin(of: scalar.text).utf8) }) else {
            return session.at(value).refuse(
                "\(scalar.shown) is on another host than the client's \"redirect_uris\": use scheme, host and port of one"
            )
        }
        return scalar.text
    }

    private static func origin(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        return (url[..<start] + url[start...].prefix { $0 != "/" && $0 != "?" }).lowercased()
    }

    /// What its tokens are bound to (RFC 9449 section 5.2, RFC 8705 section 3.4); the tenant must be able to check it.
    private static func readBinding(
        _ node: DocumentNode,
        of client: inout IssuerClient,
        _ tenant: DocumentNode,
        _ session: ReadingSession
    ) {
        client.needsProof = node.read(Schema.client.dpopBound)
        client.bindsToCertificate = node.read(Schema.client.certificateBound)
        if client.needsProof, tenant[Schema.tenant.dpop] == nil {
            session.at(node.entry(Schema.client.dpopBound)?.keyPosition ?? node.position).error(
                "this client gets no tokens, because its proofs are not looked at: add \"dpop\" to the tenant"
            )
        }
        if client.bindsToCertificate, tenant[Schema.tenant.tls]?[Schema.serverCertificate.clientCAFile] == nil {
            session.at(node.entry(Schema.client.certificateBound)?.keyPosition ?? node.position).error(
                "this client gets no tokens, because no certificate is requested: add \"client_ca_file\" to the "
                    + "tenant's \"tls\""
            )
        }
    }

    /// OpenID Connect Back-Channel Logout 1.0 section 2.2: https, and no fragment.
    private static func readBackChannelLogout(_ node: DocumentNode, _ session: ReadingSession) -> BackChannelLogout? {
        let needsSession = node.read(Schema.client.backChannelLogoutSession)
        guard let value = node[Schema.client.backChannelLogout] else {
            if needsSession, let entry = node.entry(Schema.client.backChannelLogoutSession) {
                session.at(entry.keyPosition).error(
                    "this client is told of no logout: add \"backchannel_logout_uri\", or leave this out"
                )
            }
            return nil
        }
        return ProviderURLReader.read(value, name: "\"\(Schema.client.backChannelLogout.name)\"", session).map {
            BackChannelLogout(uri: $0, needsSession: needsSession)
        }
    }

    private static func addresses(
        _ key: Key<some Sendable>,
        _ client: DocumentNode,
        _ session: ReadingSession
    ) -> [String] {
        var addresses: [String] = []
        for item in client[key]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            if addresses.contains(scalar.text) {
                session.at(item).error("\(scalar.shown) is listed twice: leave one out")
                continue
            }
            let fault = "\"\(key.name)\" must hold absolute URIs, but \(scalar.shown) is none that can be used"
            _ = session.at(item).value(of: try ReturnAddress.checked(scalar.text, allowsApps: true), or: fault)
            addresses.append(scalar.text)
        }
        return addresses
    }

    /// RFC 6749 section 3.3.
    static func readScopes(_ node: DocumentNode, _ session: ReadingSession) -> [String] {
        var scopes: [String] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            let isToken = scalar.text.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            if !isToken {
                session.at(item)
                    .error("\(scalar.shown) is not a scope (RFC 6749 section 3.3): write one word of visible ASCII")
            } else if scopes.contains(scalar.text) {
                session.at(item).error("\(scalar.shown) is listed twice: leave one out")
            }
            scopes.append(scalar.text)
        }
        return scopes
    }
}
