import Localization
public import Logging
public import Tenants
import Time
public import TokenSigning
import Verification

/// The backend that decides which account an identity belongs to, and its role and claims, and that is told what
/// providers report of accounts.
///
/// It is called with `POST` and a JSON object of the provider's claims. The request is authenticated: its
/// `Authorization: Bearer` is a JWT (RFC 7519) that the tenant's issuer signed, for the hook's URL only, for one
/// minute, and with the hash of the body. The hook must verify it with the issuer's key set; otherwise `email_verified`
/// and the other members prove nothing.
public struct AccountHook: Sendable {
    private let url: String
    private let tenant: String
    let rules: AccountRules
    private let proof: HookProof
    private let requests: any ProviderRequests
    let logger: Logger

    /// - Parameters:
    ///   - url: `accounts.hook`.
    ///   - issuer: The `iss` of the proof: the URL of the tenant's issuer.
    ///   - tenant: Its name in tenants.yaml.
    ///   - rules: The tenant's; realm and role are sent to the hook.
    ///   - keys: The tenant's.
    public init(
        url: String,
        issuer: String,
        tenant: String,
        rules: AccountRules,
        keys: any IssuerKeys,
        requests: any ProviderRequests,
        logger: Logger = Logger(label: "gatehouse.accounts")
    ) {
        var logger = logger
        logger[metadataKey: "tenant"] = .string(tenant)
        self.url = url
        self.tenant = tenant
        self.rules = rules
        proof = HookProof(issuer: issuer, keys: keys)
        self.requests = requests
        self.logger = logger
    }

    /// Calls the hook once.
    ///
    /// - Parameters:
    ///   - name: The name from the provider or the app.
    ///   - logins: All of the account's, for a sign-in with a passkey; nil for one with a provider.
    func decide(
        _ identity: ProviderIdentity,
        name: String?,
        byPasskeyOf logins: [Account.Identity]? = nil,
        at now: UnixTime
    ) async throws(AccountProblem) -> Response {
        var question = question(identity, name: name, at: now)
        if let logins {
            question["method"] = "passkey"
            question["logins"] = .array(logins.map { .object($0.json) })
        }
        return try decision(of: try await send(JSONWriter.bytes(of: question), at: now))
    }

    /// Sends a signed body once.
    func send(_ body: [UInt8], at now: UnixTime) async throws(AccountProblem) -> ProviderResponse {
        let request = ProviderRequest(
            method: "POST",
            url: url,
            fields: [
                EndpointResponse.Field("Content-Type", "application/json"),
                EndpointResponse.Field("Accept", "application/json"),
                try await proof(of: body, at: now),
            ],
            body: body,
            timeout: .seconds(5)
        )
        do throws(ProviderRequestFailure) {
            return try await requests.send(request)
        } catch {
            logger.warning("the account hook does not respond", metadata: ["reason": .string(error.rawValue)])
            throw Self.unavailable(isTimeout: error == .timeout)
        }
    }

    /// The members of every body.
    var opening: JSONObject {
        var opening: JSONObject = ["tenant": .string(tenant)]
        if let realm = rules.realm { opening["realm"] = .string(realm) }
        return opening
    }

    /// Whether a status is the hook's decision. Too slow, too early, too often: none of these is about the account.
    static func isRefusal(_ status: Int) -> Bool {
        (400...499).contains(status) && ![408, 425, 429].contains(status)
    }

    private func question(_ identity: ProviderIdentity, name: String?, at now: UnixTime) -> JSONObject {
        var question = opening
        if let role = rules.role { question["role"] = .string(role) }
        question["provider"] = .string(identity.provider.rawValue)
        question["subject"] = .string(identity.subject)
        if let transferSubject = identity.transferSubject { question["transfer_subject"] = .string(transferSubject) }
        if let email = identity.email { question["email"] = .string(email) }
        question["email_verified"] = .bool(identity.isEmailVerified)
        question["is_private_email"] = .bool(identity.isPrivateEmail)
        if !identity.claims.members.isEmpty { question["claims"] = .object(identity.claims) }
        if let name = name.flatMap(PersonName.kept) { question["name"] = .string(name) }
        question["time"] = .wholeSeconds(now)
        return question
    }

    /// What shows the hook who asks: see ``HookProof``.
    private func proof(of body: [UInt8], at now: UnixTime) async throws(AccountProblem) -> EndpointResponse.Field {
        do throws(SigningProblem) {
            return try await proof.field(for: body, audience: url, at: now)
        } catch {
            logger.error("a request to the account hook cannot be signed", metadata: ["error": "\(error)"])
            throw .unavailable(EndpointRefusal(.cannotSign(error)))
        }
    }

    /// What the hook has decided.
    func decision(of response: ProviderResponse) throws(AccountProblem) -> Response {
        switch response.status {
        case 200...299: break
        case let status where Self.isRefusal(status):
            logger.notice("the account hook refuses a sign-in", metadata: ["status": "\(response.status)"])
            throw Self.refusal(response)
        default:
            logger.warning("the account hook fails", metadata: ["status": "\(response.status)"])
            throw Self.unavailable()
        }
        do throws(Response.Fault) {
            return try Response(response.body)
        } catch {
            logger.error("the account hook's response cannot be used", metadata: ["reason": .string(error.description)])
            throw Self.unavailable()
        }
    }

    /// Other statuses would be about the app's request, which the hook never saw.
    private static func refusal(_ response: ProviderResponse) -> AccountProblem {
        .refusedByHook(
            status: [403, 409, 422].contains(response.status) ? response.status : 403,
            message: message(response.body) ?? "This account may not sign in here"
        )
    }

    private static func message(_ body: [UInt8]) -> String? {
        guard let object = try? JSONParser.parse(body).object else { return nil }
        for name in ["error", "detail", "message"] {
            if let text = object[name]?.string.flatMap({ BoundedText.kept($0, bytes: 200) }) { return text }
        }
        return nil
    }

    static func unavailable(isTimeout: Bool = false) -> AccountProblem {
        .unavailable(.providerUnavailable("the app's account service gives no answer: try again", isTimeout: isTimeout))
    }
}

extension Account.Identity {
    fileprivate var json: JSONObject { ["provider": .string(provider.rawValue), "subject": .string(subject)] }
}
