import Synchronization
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// An app's backend with an account hook: it takes only what the tenant's issuer signed, and responds as configured.
final class HookSide: ProviderRequests, IssuerKeys {
    static let url = "https://api.example/accounts/hook"
    static let issuer = "https://chat.example"

    typealias Handler = @Sendable (JSONObject) throws(ProviderRequestFailure) -> ProviderResponse

    private let key: SigningKey
    private let other: SigningKey
    private let handler = Mutex<Handler?>(nil)
    private let bodies = Mutex<[JSONObject]>([])
    private let proofs = Mutex<[JSONObject]>([])
    /// Signs with a key that is not the issuer's.
    let signsWithAnotherKey = Mutex(false)
    let cannotSign = Mutex(false)
    private let requests = Mutex<[ProviderRequest]>([])

    init() throws {
        key = try SigningKey.generate(.p256)
        other = try SigningKey.generate(.p256)
    }

    /// The bodies of requests with a valid proof.
    var accepted: [JSONObject] { bodies.withLock { $0 } }
    var proven: [JSONObject] { proofs.withLock { $0 } }
    var received: [ProviderRequest] { requests.withLock { $0 } }

    func onRequest(_ handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

    func respond(_ text: String, status: Int = 200) {
        onRequest { _ in ProviderResponse(status: status, body: Array(text.utf8)) }
    }

    func hook(_ rules: AccountRules = AccountRules(), log: RecordedLog = RecordedLog()) -> AccountHook {
        AccountHook(
            url: Self.url,
            issuer: Self.issuer,
            tenant: "chat",
            rules: rules,
            keys: self,
            requests: self,
            logger: log.logger
        )
    }

    // MARK: The gateway's side

    func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String {
        if cannotSign.withLock({ $0 }) { throw .notSealed }
        do throws(SigningError) {
            let signer = try TokenSigner(signsWithAnotherKey.withLock { $0 } ? other : key, algorithm: .es256)
            return try signer.sign(claims, header: ["typ": .string(type.rawValue)])
        } catch {
            throw .notSigned(error)
        }
    }

    func published() async throws(SigningProblem) -> PublishedKeys {
        PublishedKeys(document: JSONObject(), keys: keys)
    }

    // MARK: The backend's side

    private var keys: KeySet { key.publicJWK(algorithm: .es256).flatMap { try? KeySet(jwk: $0) } ?? .empty }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        requests.withLock { $0.append(request) }
        guard let claims = proof(of: request), let body = try? JSONParser.parse(request.body).object else {
            return ProviderResponse(status: 401, body: Array(#"{"error":"not from the issuer"}"#.utf8))
        }
        bodies.withLock { $0.append(body) }
        proofs.withLock { $0.append(claims) }
        guard let handler = handler.withLock({ $0 }) else { throw .unreachable }
        return try handler(body)
    }

    /// What a careful backend checks.
    private func proof(of request: ProviderRequest) -> JSONObject? {
        guard let field = request.fields.first(where: { $0.name == "Authorization" }), field.value.hasPrefix("Bearer "),
            let (header, payload) = try? JWS.verify(compact: Array(field.value.dropFirst(7).utf8), keys: keys),
            header["typ"] == "hook+jwt", let claims = try? JSONParser.parse(payload).object,
            claims["iss"]?.string == Self.issuer, claims["aud"]?.string == request.url,
            claims["body_sha256"]?.string == Base64URL.encode(SHA256.digest(request.body))
        else { return nil }
        return claims
    }
}
