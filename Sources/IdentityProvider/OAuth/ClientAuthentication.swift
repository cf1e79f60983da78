import Logging
import Tenants
import Verification

/// Identifies the client of a request (RFC 6749 section 2.3): by a Basic field, by a secret in the form, by an assertion
/// (RFC 7521 section 4.2), or, for a public client, by its name alone.
///
/// Failures are counted by client and address, and the limit is checked before a secret is compared: a guess past the
/// limit learns nothing, and failing in a client's name elsewhere does not lock it out.
struct ClientAuthentication: Sendable {
    /// Compared if there is no secret, so that the time is the same.
    private static let dummyDigest = RandomBytes.make(32)

    /// The credentials in a request.
    private struct Presented {
        enum Proof {
            case none
            /// How a secret was sent, and the possible readings of it.
            case secret(IssuerClient.AuthMethod, [[UInt8]])
            case assertion(ClientAssertion)
        }

        var id: String
        var proof: Proof

        init(id: String, _ method: IssuerClient.AuthMethod, secrets: [[UInt8]]) {
            self.id = id
            proof = secrets.isEmpty ? .none : .secret(method, secrets)
        }

        init(_ assertion: ClientAssertion) {
            id = assertion.clientID
            proof = .assertion(assertion)
        }

        var isNameAlone: Bool {
            if case .none = proof { return true }
            return false
        }
    }

    let clients: [IssuerClient]
    /// The tenant, in challenges.
    let realm: String
    let assertions: ClientAssertions
    let limits: AttemptLimits
    let logger: Logger

    func authenticate(
        _ request: EndpointRequest,
        _ form: FormFields
    ) async throws(OAuthError) -> IssuerClient {
        let presented: Presented
        do throws(OAuthError) {
            presented = try self.presented(request.fields.authorization, form)
        } catch {
            guard error.code == .invalidClient else { throw error }
            throw failure(of: nil, request) ?? error
        }
        let named = clients.named(presented.id)
        // A public client has no secret to guess, and its users share addresses with others who fail in its name.
        if let named, named.isPublic, presented.isNameAlone { return named }
        if case .refused(let seconds) = limits.check(key(of: named, request), .wrongSecrets, at: request.now) {
            throw Self.tooManyFailures(seconds)
        }
        if let client = try await client(presented, request) { return client }
        throw failure(of: named, request)
            ?? .invalidClient("unknown client, or wrong credentials", realm: realm)
    }

    /// Counts and logs a failure.
    ///
    /// - Parameter client: Nil for an unknown name, which may be a secret in the wrong field.
    /// - Returns: The error to send instead, if there were too many.
    private func failure(of client: IssuerClient?, _ request: EndpointRequest) -> OAuthError? {
        if case .refused(let seconds) = limits.admit(key(of: client, request), .wrongSecrets, at: request.now) {
            return Self.tooManyFailures(seconds)
        }
        logger.notice(
            "a client did not authenticate",
            metadata: [
                "tenant": "\(realm)", "client": "\(client?.id ?? "unknown")",
                "endpoint": "\(request.endpoint.rawValue)", "request": "\(request.id)",
            ]
        )
        return nil
    }

    private static func tooManyFailures(_ seconds: Int) -> OAuthError {
        .tooMany("this client has failed to authenticate too often", retryAfter: seconds)
    }

    /// The key by which failures are counted: client and address, with one entry for all unknown clients. The address
    /// length fits in a byte, and no tenant's name has a space.
    private func key(of client: IssuerClient?, _ request: EndpointRequest) -> [UInt8] {
        let address = AttemptLimits.key(address: request.clientAddress)
        return [UInt8(clamping: address.count)] + address + Array("\(realm) ".utf8)
            + (client.map { [1] + Array($0.id.utf8) } ?? [0])
    }

    /// - Returns: Nil for an unknown client, or credentials that are wrong, missing, superfluous or of a kind that the client
    ///   may not use.
    private func client(_ presented: Presented, _ request: EndpointRequest) async throws(OAuthError) -> IssuerClient? {
        let client = clients.named(presented.id)
        switch presented.proof {
        case .none:
            return client?.isPublic == true ? client : nil
        case .secret(let method, let secrets):
            // Compared in any case, so that the time is the same.
            let isRight = Self.isOne(of: secrets, client?.secret)
            guard let client, client.authMethods.contains(method) else { return nil }
            return isRight ? client : nil
        case .assertion(let assertion):
            guard let client, client.authMethods.contains(.privateKey) else { return nil }
            return try await assertions.use(assertion, of: client, request) ? client : nil
        }
    }

    /// Whether a presented secret is the client's. Runs in constant time; false for a client without one.
    private static func isOne(of secrets: [[UInt8]], _ own: Secret?) -> Bool {
        let digest = own.map { SHA256.digest($0.bytes) } ?? dummyDigest
        var isRight = false
        for secret in secrets {
            let isEqual = ConstantTime.areEqual(SHA256.digest(secret), digest)
            isRight = isEqual || isRight
        }
        return isRight && own != nil
    }

    private func presented(_ authorization: String?, _ form: FormFields) throws(OAuthError) -> Presented {
        if form["client_assertion"] != nil || form["client_assertion_type"] != nil {
            return Presented(try assertion(authorization, form))
        }
        guard let authorization else {
            guard let id = form["client_id"] else { throw .invalidClient("client_id is missing", realm: realm) }
            return Presented(id: id, .post, secrets: form["client_secret"].map { [Array($0.utf8)] } ?? [])
        }
        guard let basic = AuthorizationField.basic(authorization), let id = FormText.decoded(basic.user) else {
            throw .invalidClient("clients authenticate with Basic or in the form", realm: realm)
        }
        guard form["client_secret"] == nil else {
            throw .invalidRequest("the client authenticates in two ways at once")
        }
        guard form["client_id"]?.utf8.elementsEqual(id.utf8) ?? true else {
            throw .invalidRequest("client_id differs from the user of the Basic field")
        }
        // Form-urlencoded by RFC 6749 section 2.3.1, but many clients send it unencoded.
        let secrets = [FormText.decoded(basic.password).map { Array($0.utf8) }, basic.password]
        return Presented(id: id, .basic, secrets: secrets.compactMap(\.self).filter { !$0.isEmpty })
    }

    /// RFC 7521 section 4.2, which allows one way of authenticating only.
    private func assertion(_ authorization: String?, _ form: FormFields) throws(OAuthError) -> ClientAssertion {
        guard authorization == nil, form["client_secret"] == nil else {
            throw .invalidRequest("the client authenticates in two ways at once")
        }
        guard form["client_assertion_type"]?.utf8.elementsEqual(ClientAssertion.type.utf8) == true else {
            throw .invalidClient("client_assertion_type has to be \(ClientAssertion.type)", realm: realm)
        }
        guard let assertion = form["client_assertion"].flatMap({ ClientAssertion($0) }) else {
            throw .invalidClient("client_assertion is not a JWT of a client", realm: realm)
        }
        guard form["client_id"]?.utf8.elementsEqual(assertion.clientID.utf8) ?? true else {
            throw .invalidRequest("client_id differs from the subject of the assertion")
        }
        return assertion
    }
}
