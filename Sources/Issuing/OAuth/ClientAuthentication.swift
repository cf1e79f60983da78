import Tenants
import Verification

/// Tells which of an issuer's clients asks (RFC 6749 section 2.3): by a Basic field, by a secret in the form, or, a public
/// one, by its name alone.
struct ClientAuthentication: Sendable {
    /// Counts one more failure of whoever calls itself this client, and tells for how many seconds it is told nothing
    /// more, if there were too many. The name is anybody's: it need not be a client's.
    typealias Failures = @Sendable (_ clientID: String, _ now: Double) -> Int?

    /// Bytes of a client's name that failures are counted by.
    private static let longestName = 256
    /// What is compared where there is no secret, so that it takes no less time.
    private static let nobodysDigest = RandomBytes.make(32)

    /// What a request says of who sent it.
    private struct Presented {
        var id: String
        /// What the secret may be: nothing for a client that sent none.
        var secrets: [[UInt8]]
    }

    let clients: [IssuerClient]
    /// The tenant, in challenges.
    let realm: String
    let failures: Failures

    func authenticate(
        _ request: EndpointRequest,
        _ form: FormFields
    ) throws(OAuthError) -> IssuerClient {
        let presented = try presented(request.fields.authorization, form)
        if let client = client(presented) { return client }
        // Not refused before it was looked at: nobody keeps a client out by failing in its name.
        if let seconds = failures(Self.shortened(presented.id), request.now) {
            throw .tooManyFailures(retryAfter: seconds)
        }
        throw .invalidClient("the client is not known, or did not prove to be it", realm: realm)
    }

    /// - Returns: Nil for a client that is not known or a secret that is wrong, missing, or more than it has.
    private func client(_ presented: Presented) -> IssuerClient? {
        let client = clients.named(presented.id)
        let digest = client?.secret.map { SHA256.digest($0.bytes) } ?? Self.nobodysDigest
        var isRight = false
        for secret in presented.secrets {
            let isEqual = ConstantTime.areEqual(SHA256.digest(secret), digest)
            isRight = isEqual || isRight
        }
        guard let client else { return nil }
        return client.isPublic ? (presented.secrets.isEmpty ? client : nil) : (isRight ? client : nil)
    }

    private func presented(_ authorization: String?, _ form: FormFields) throws(OAuthError) -> Presented {
        guard let authorization else {
            guard let id = form["client_id"] else { throw .invalidClient("no client is named", realm: realm) }
            return Presented(id: id, secrets: form["client_secret"].map { [Array($0.utf8)] } ?? [])
        }
        guard let basic = AuthorizationField.basic(authorization), let id = FormText.decoded(basic.user) else {
            throw .invalidClient("clients authenticate with Basic or in the form", realm: realm)
        }
        guard form["client_secret"] == nil else {
            throw .invalidRequest("the client authenticates in two ways at once")
        }
        guard form["client_id"]?.utf8.elementsEqual(id.utf8) ?? true else {
            throw .invalidRequest("the client has two names")
        }
        // Form-urlencoded by RFC 6749 section 2.3.1, but many clients send it as it is.
        let secrets = [FormText.decoded(basic.password).map { Array($0.utf8) }, basic.password]
        return Presented(id: id, secrets: secrets.compactMap(\.self).filter { !$0.isEmpty })
    }

    private static func shortened(_ name: String) -> String {
        String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
    }
}

extension [IssuerClient] {
    /// The client with this `client_id`, byte for byte.
    func named(_ id: String) -> IssuerClient? { first { $0.id.utf8.elementsEqual(id.utf8) } }
}
