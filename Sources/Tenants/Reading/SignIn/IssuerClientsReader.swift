/// Reads `issuer.clients`.
enum IssuerClientsReader {
    /// RFC 6749 section 10.10: what an attacker guesses must not be short.
    private static let shortestSecret = 16

    /// In the order of the file; what cannot be read is left out, and was reported.
    ///
    /// - Parameter tenant: Whose issuer it is.
    static func read(
        _ items: [DocumentNode],
        tenant: DocumentNode,
        _ session: inout ReadingSession
    ) -> [IssuerClient] {
        var lines: [String: Int] = [:]
        var clients: [IssuerClient] = []
        for item in items {
            guard case .map = item.content else { continue }
            let id = ClientText.read(Schema.client.id, in: item, &session)
            if let id, let place = item[Schema.client.id]?.place {
                if let line = lines[id] {
                    session.findings.error(place, "this client is in line \(line) already: give it another \"id\"")
                }
                lines[id] = lines[id] ?? place.line
            }
            if var client = client(item, id ?? "", &session), id != nil {
                readBinding(item, of: &client, tenant, &session)
                clients.append(client)
            }
        }
        return clients
    }

    private static func client(
        _ node: DocumentNode,
        _ id: String,
        _ session: inout ReadingSession
    ) -> IssuerClient? {
        let secret = readSecret(node, &session)
        let redirects = addresses(Schema.client.redirectURIs, node, &session)
        let logouts = addresses(Schema.client.postLogoutRedirectURIs, node, &session)
        let scopes = node.given(Schema.client.scopes).map { readScopes($0, &session) } ?? []
        return IssuerClient(
            id: id,
            secret: secret,
            redirectURIs: redirects,
            postLogoutRedirectURIs: logouts,
            scopes: scopes
        )
    }

    /// What its tokens are bound to (RFC 9449 section 5.2, RFC 8705 section 3.4), which the tenant has to be able to find
    /// out.
    private static func readBinding(
        _ node: DocumentNode,
        of client: inout IssuerClient,
        _ tenant: DocumentNode,
        _ session: inout ReadingSession
    ) {
        client.needsProof = node.read(Schema.client.dpopBound)
        client.bindsToCertificate = node.read(Schema.client.certificateBound)
        if client.needsProof, tenant[Schema.tenant.dpop] == nil {
            session.findings.error(
                node.entry(Schema.client.dpopBound)?.keyPlace ?? node.place,
                "this client gets no tokens, because its proofs are not looked at: add \"dpop\" to the tenant, or leave "
                    + "\"dpop_bound\" out"
            )
        }
        if client.bindsToCertificate, tenant[Schema.tenant.tls]?[Schema.serverCertificate.clientCAFile] == nil {
            session.findings.error(
                node.entry(Schema.client.certificateBound)?.keyPlace ?? node.place,
                "this client gets no tokens, because nobody is asked for a certificate: add \"client_ca_file\" to the "
                    + "tenant's \"tls\", or leave \"certificate_bound\" out"
            )
        }
    }

    /// Whether a client can keep a secret is said in one of two ways (RFC 6749 section 2.1).
    private static func readSecret(_ node: DocumentNode, _ session: inout ReadingSession) -> Secret? {
        let isPublic = node.read(Schema.client.isPublic)
        guard let value = node[Schema.client.secret] else {
            if !isPublic {
                session.findings.error(
                    node.place,
                    "this client has no secret: add \"secret\", or \"public: true\" for an app or a page"
                )
            }
            return nil
        }
        if isPublic {
            session.findings.error(
                node.entry(Schema.client.isPublic)?.keyPlace ?? node.place,
                "a public client has no secret: leave \"public\" out, or \"secret\""
            )
        }
        guard let scalar = value.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            return session.refuse(
                value.place,
                "\"secret\" is empty: fill it in, or write \"public: true\" for an app or a page"
            )
        }
        guard let text = ClientText.read(Schema.client.secret, in: node, &session) else { return nil }
        guard text.utf8.count >= shortestSecret else {
            return session.refuse(
                value.place,
                "\"secret\" has \(text.utf8.count) bytes, a client's needs at least \(shortestSecret): generate one "
                    + "with \"openssl rand -base64 32\""
            )
        }
        let secret = Secret(text)
        session.judgeExample(secret, name: "\"secret\"", value.place)
        return secret
    }

    private static func addresses(
        _ key: Key<some Sendable>,
        _ client: DocumentNode,
        _ session: inout ReadingSession
    ) -> [String] {
        var addresses: [String] = []
        for item in client[key]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            if addresses.contains(scalar.text) {
                session.findings.error(item.place, "\(scalar.shown) is listed twice: leave one out")
                continue
            }
            let fault = "\"\(key.name)\" must hold absolute URIs, but \(scalar.shown) is none that can be used"
            _ = session.value(at: item.place, fault) { () throws(ScalarText.Problem) in
                try ReturnAddress.check(scalar.text, allowsApps: true)
            }
            addresses.append(scalar.text)
        }
        return addresses
    }

    /// RFC 6749 section 3.3.
    private static func readScopes(_ node: DocumentNode, _ session: inout ReadingSession) -> [String] {
        var scopes: [String] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            let isToken = scalar.text.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            if !isToken {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) is no scope (RFC 6749 section 3.3): write one word of visible ASCII"
                )
            } else if scopes.contains(scalar.text) {
                session.findings.error(item.place, "\(scalar.shown) is listed twice: leave one out")
            }
            scopes.append(scalar.text)
        }
        return scopes
    }
}
