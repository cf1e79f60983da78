import Time
import Verification

/// The state of the stand-in for named providers.
struct CompanyState: Sendable {
    /// The record of a code.
    struct Code: Sendable {
        let redirectURI: String
        let challenge: String
        let scopes: [String]
        let nonce: String?
        let user: ProviderUser
        let isOpenID: Bool
    }

    var port = 0
    let key: SigningKey
    let algorithm: SignatureAlgorithm
    let stranger: SigningKey
    var user = ProviderUser(subject: "f3b1c9d2-company", email: "alice@company.example")
    var codes = BoundedMap<String, Code, Never>(capacity: 10_000)
    var accessTokens = BoundedMap<String, Code, Never>(capacity: 10_000)
    var failures: [CompanyEndpoint: ProviderFailure] = [:]
    var calls: [CompanyEndpoint: Int] = [:]
    var edits: [CompanyDocument: [@Sendable (inout JSONObject) -> Void]] = [:]
    var isForging = false
    var signsAs: String?

    init(key: SigningKey, algorithm: SignatureAlgorithm, stranger: SigningKey) {
        self.key = key
        self.algorithm = algorithm
        self.stranger = stranger
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var issuer: String { "\(url)/company" }

    func edited(_ object: JSONObject, _ document: CompanyDocument) -> JSONObject {
        var object = object
        for edit in edits[document] ?? [] { edit(&object) }
        return object
    }

    var metadata: JSONObject {
        edited(
            [
                "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
                "token_endpoint": .string("\(issuer)/token"), "userinfo_endpoint": .string("\(issuer)/userinfo"),
                "jwks_uri": .string("\(issuer)/keys"), "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": [.string(algorithm.rawValue)],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": true,
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            ],
            .metadata
        )
    }

    var keySet: JSONValue {
        ["keys": .array([key.publicJWK(algorithm: algorithm)].compactMap { $0.map(JSONValue.object) })]
    }

    func claims(audience: String, nonce: String?, at now: UnixTime) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(user.subject), "aud": .string(audience),
            "iat": .number(JSONNumber(Int(now.seconds))), "exp": .number(JSONNumber(Int(now.seconds) + 600)),
            "email": .string(user.email), "email_verified": user.emailVerified, "name": .string(user.name),
            "groups": ["staff", "readers"], "realm_access": ["roles": ["admin", "editor"]],
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        return edited(claims, .idToken)
    }

    func sign(_ claims: JSONObject) throws(SigningError) -> String {
        let signer = isForging ? stranger : key
        let algorithm = isForging ? signer.algorithms.first { !$0.isSymmetric } ?? self.algorithm : self.algorithm
        return try TokenSigner(signer, algorithm: algorithm, keyID: key.thumbprint)
            .sign(claims, header: signsAs.map { ["typ": .string($0)] } ?? JSONObject())
    }

    /// Uses a code up.
    mutating func redeem(_ parameters: FormParameters, isOpenID: Bool) throws(StandInRefusal) -> Code {
        guard let name = parameters["code"], let code = codes[name], code.isOpenID == isOpenID else {
            throw .grant("the code is unknown")
        }
        codes.remove(name)
        guard parameters["redirect_uri"] == code.redirectURI else {
            throw .grant("redirect_uri differs from the authorization request")
        }
        let verifier = parameters["code_verifier"] ?? ""
        guard (43...128).contains(verifier.utf8.count),
            Base64URL.encode(SHA256.digest(Array(verifier.utf8))) == code.challenge
        else { throw .grant("the code verifier is not the challenge's") }
        return code
    }

    mutating func accessToken(for code: Code) -> String {
        let token = RandomText.make(bytes: 32)
        accessTokens.insert(code, for: token)
        return token
    }
}
