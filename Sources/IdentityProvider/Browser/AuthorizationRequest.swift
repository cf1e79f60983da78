import Tenants
import Verification

/// A valid authorization request: code flow with PKCE S256 (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID
/// Connect Core section 3.1.2.1).
struct AuthorizationRequest: Sendable, Equatable {
    /// Longest `state` and `nonce` in bytes.
    static let longestState = 2048
    static let longestNonce = 512

    let client: ClientReturn
    /// The granted ones, in the order of the request.
    let scopes: [String]
    let nonce: String?
    /// S256; nil for a client with credentials that uses none.
    let codeChallenge: String?
    /// SHA-256 thumbprint of the key that must be proved when the code is redeemed (RFC 9449 section 10).
    var keyThumbprint: [UInt8]?
    /// Not kept with a sign-in under way, which has a ``SignInDemand``.
    var authentication = AuthenticationParameters()
}

/// The result of reading an authorization request.
enum AuthorizationRequestResult: Sendable, Equatable {
    case valid(AuthorizationRequest)
    /// The error goes to the client.
    case refused(AuthorizationError, ClientReturn)
    /// Client or redirect URI are invalid: only the user sees the error.
    case untrusted
}

extension AuthorizationRequestResult {
    /// - Parameters:
    ///   - parameters: Of the query or the form, as received.
    ///   - bindsCodes: Whether the tenant uses DPoP; if not, `dpop_jkt` is ignored like any unknown parameter.
    init(_ parameters: [UInt8], clients: [IssuerClient], bindsCodes: Bool = false) {
        var problem: AuthorizationError?
        let fields: FormFields
        do throws(FormFields.Problem) {
            fields = try FormFields(parameters)
        } catch {
            guard case .repeated = error, let first = Self.returnFields(of: parameters) else {
                self = .untrusted
                return
            }
            problem = AuthorizationError(.invalidRequest, "a parameter is repeated")
            fields = first
        }
        let client = ClientReturn(
            clientID: fields["client_id"],
            redirectURI: fields["redirect_uri"],
            state: fields["state"],
            clients: clients
        )
        guard var client else {
            self = .untrusted
            return
        }
        do throws(AuthorizationError) {
            if let problem { throw problem }
            // First, so that other errors go the way that the client wants.
            client.mode = try client.mode(fields["response_mode"])
            let named = clients.named(client.clientID)
            let request = try AuthorizationRequest(fields, client, allowed: named?.scopes ?? [], bindsCode: bindsCodes)
            guard request.codeChallenge != nil || named?.needsPKCE == false else {
                throw AuthorizationError(.invalidRequest, "code_challenge is missing: PKCE is required")
            }
            self = .valid(request)
        } catch {
            self = .refused(error, client)
        }
    }

    /// The fields that say where to report an error, from parameters with duplicates; nil if one of these fields is
    /// duplicated.
    private static func returnFields(of parameters: [UInt8]) -> FormFields? {
        let pairs = parameters.split(separator: UInt8(ascii: "&"), maxSplits: FormFields.mostFields)
        guard pairs.count <= FormFields.mostFields else { return nil }
        func fields(_ names: [String]) -> FormFields? {
            let kept = pairs.filter { pair in
                guard let name = (try? FormFields(pair))?.all.first?.name else { return false }
                return names.contains { $0.utf8.elementsEqual(name.utf8) }
            }
            return try? FormFields(Array(kept.joined(separator: [UInt8(ascii: "&")])))
        }
        // A duplicated state is ignored: either value could be wrong.
        return fields(["client_id", "redirect_uri", "state"]) ?? fields(["client_id", "redirect_uri"])
    }
}

extension AuthorizationRequest {
    fileprivate init(
        _ fields: FormFields,
        _ client: ClientReturn,
        allowed: [String],
        bindsCode: Bool
    ) throws(AuthorizationError) {
        try Self.checkExtensions(fields)
        try Self.checkResponse(fields)
        authentication = try AuthenticationParameters(fields)
        self.client = client
        codeChallenge = try Self.codeChallenge(fields)
        scopes = try Self.scopes(fields, allowed: allowed)
        guard (client.state?.utf8.count ?? 0) <= Self.longestState else {
            throw AuthorizationError(.invalidRequest, "state is longer than \(Self.longestState) bytes")
        }
        nonce = fields["nonce"]
        guard (nonce?.utf8.count ?? 0) <= Self.longestNonce else {
            throw AuthorizationError(.invalidRequest, "nonce is longer than \(Self.longestNonce) bytes")
        }
        keyThumbprint = bindsCode ? try Self.keyThumbprint(fields) : nil
    }

    private static func keyThumbprint(_ fields: FormFields) throws(AuthorizationError) -> [UInt8]? {
        guard let text = fields["dpop_jkt"] else { return nil }
        guard let thumbprint = Base64URL.decode(text), thumbprint.count == 32 else {
            throw AuthorizationError(.invalidRequest, "dpop_jkt is not a SHA-256 in base64url")
        }
        return thumbprint
    }

    /// Unsupported parameters that would change the meaning of the request (OpenID Connect Core sections 6 and 7).
    private static func checkExtensions(_ fields: FormFields) throws(AuthorizationError) {
        if fields["request"] != nil { throw AuthorizationError(.requestNotSupported, "request is not supported") }
        if fields["request_uri"] != nil {
            throw AuthorizationError(.requestURINotSupported, "request_uri is not supported")
        }
        if fields["registration"] != nil {
            throw AuthorizationError(.registrationNotSupported, "registration is not supported")
        }
    }

    private static func checkResponse(_ fields: FormFields) throws(AuthorizationError) {
        guard let type = fields["response_type"] else {
            throw AuthorizationError(.invalidRequest, "response_type is missing")
        }
        guard type.utf8.elementsEqual("code".utf8) else {
            throw AuthorizationError(.unsupportedResponseType, "response_type can be code only")
        }
    }

    private static func codeChallenge(_ fields: FormFields) throws(AuthorizationError) -> String? {
        guard let challenge = fields["code_challenge"] else {
            guard fields["code_challenge_method"] == nil else {
                throw AuthorizationError(.invalidRequest, "code_challenge is missing, although there is its method")
            }
            return nil
        }
        // The default would be `plain` (RFC 7636 section 4.3), which anyone who sees this request can satisfy.
        guard let method = fields["code_challenge_method"], method.utf8.elementsEqual("S256".utf8) else {
            throw AuthorizationError(.invalidRequest, "code_challenge_method has to be S256")
        }
        guard Base64URL.decode(challenge)?.count == 32 else {
            throw AuthorizationError(.invalidRequest, "code_challenge is not a SHA-256 in base64url")
        }
        return challenge
    }

    /// The requested scopes that the client may have. `offline_access` needs no grant: every client gets refresh
    /// tokens.
    private static func scopes(_ fields: FormFields, allowed: [String]) throws(AuthorizationError) -> [String] {
        func has(_ scopes: [String], _ scope: String) -> Bool {
            scopes.contains { $0.utf8.elementsEqual(scope.utf8) }
        }
        let offlineAccess = "offline_access"
        var granted: [String] = []
        for scope in (fields["scope"] ?? "").utf8.split(separator: UInt8(ascii: " ")) {
            let scope = String(Substring(scope))
            guard has(allowed + [offlineAccess], scope), !has(granted, scope) else { continue }
            granted.append(scope)
        }
        guard granted.contains(where: { has(allowed, $0) }) else {
            throw AuthorizationError(.invalidScope, "none of the scopes is one of the client's")
        }
        return granted
    }
}
