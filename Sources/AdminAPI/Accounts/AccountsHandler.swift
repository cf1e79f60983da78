import IdentityProvider
import Logging
import Tenants
import Time
import Verification

/// Shows accounts, and removes their passkeys, for the admin listener. HTTP is left to ``AccountsRoutes``.
struct AccountsHandler: Sendable {
    /// Bytes of a subject: an account hook's is the longest.
    private static let longestSubject = 255

    private let live: LiveConfiguration
    private let accounts: @Sendable (TenantIndex) -> (any AccountAdministration)?
    private let logger: Logger

    /// - Parameter accounts: A tenant's; nil if it keeps none.
    init(
        live: LiveConfiguration,
        accounts: @escaping @Sendable (TenantIndex) -> (any AccountAdministration)?,
        logger: Logger
    ) {
        self.live = live
        self.accounts = accounts
        self.logger = logger
    }

    /// - Parameter subject: Percent-encoded.
    func account(_ tenant: String, _ subject: String) async throws(AdminProblem) -> JSONObject {
        let accounts = try accounts(of: tenant)
        let subject = try Self.subject(subject)
        let found: Account?
        do throws(AccountProblem) {
            found = try await accounts.account(ofSubject: subject)
        } catch {
            throw storeFailed(.account(error), "ask again")
        }
        guard let found else { throw Self.unknownAccount }
        return found.adminJSON
    }

    /// Removes one passkey, or all. When this returns, the store has the change, and no instance signs anybody in by them.
    ///
    /// - Parameters:
    ///   - subject: Percent-encoded.
    ///   - passkey: In base64url; nil for all.
    func removePasskeys(
        _ tenant: String,
        _ subject: String,
        _ passkey: String?,
        _ audit: inout AuditEntry
    ) async throws(AdminProblem) -> JSONObject {
        let subject = try Self.subject(subject)
        audit.note("subject", subject)
        if let passkey { audit.note("passkey", passkey) }
        let accounts = try accounts(of: tenant)
        let id = try passkey.map { (text) throws(AdminProblem) in try Self.passkeyID(text) }
        do throws(AccountChangeProblem) {
            let (removed, account) = try await accounts.removePasskeys(id, ofSubject: subject)
            audit.note("count", removed.count)
            return ["removed": .array(removed.map { .object($0.adminJSON) }), "account": .object(account.adminJSON)]
        } catch .notThere {
            guard id != nil else { throw Self.unknownAccount }
            throw AdminProblem(
                .unknownPasskey,
                "there is no such account, or it has no such passkey, or no longer; look at the account"
            )
        } catch {
            throw storeFailed(error, "the passkeys may or may not have been removed; look at the account")
        }
    }

    private func accounts(of name: String) throws(AdminProblem) -> any AccountAdministration {
        let (_, index) = try live.current.named(name)
        guard let accounts = accounts(index) else {
            throw AdminProblem(.noAccounts, "the tenant has neither sign_in nor issuer, so that it keeps no accounts")
        }
        return accounts
    }

    private static func subject(_ text: String) throws(AdminProblem) -> String {
        guard let bytes = PercentEncoding.decode(text.utf8), (1...longestSubject).contains(bytes.count),
            let subject = String(validating: bytes, as: UTF8.self)
        else { throw .badRequest("a subject has 1 to \(longestSubject) bytes of UTF-8, percent-encoded in the path") }
        return subject
    }

    private static func passkeyID(_ text: String) throws(AdminProblem) -> [UInt8] {
        guard let id = Base64URL.decode(text), !id.isEmpty else {
            throw .badRequest("a passkey's ID is that of the account's passkeys, in base64url without padding")
        }
        return id
    }

    private static let unknownAccount = AdminProblem(
        .unknownAccount,
        "nobody has this subject here: it is the sub of tokens, and of the log"
    )

    private func storeFailed(_ problem: AccountChangeProblem, _ advice: String) -> AdminProblem {
        logger.warning("an account could not be read or changed for the admin API", metadata: ["error": "\(problem)"])
        return AdminProblem(.storeUnavailable, "the store failed; \(advice)")
    }
}

extension Account {
    /// How people get into the account. It has no key, and nothing that a provider says of its owner but the identifier.
    fileprivate var adminJSON: JSONObject {
        var object: JSONObject = ["subject": .string(subject)]
        object["role"] = role.map(JSONValue.string)
        object["created_at"] = .string(HTTPDate.rfc3339(createdAt))
        object["logins"] = .array(
            identities.map { ["provider": .string($0.provider.rawValue), "subject": .string($0.subject)] }
        )
        object["passkeys"] = .array(passkeys.map { .object($0.adminJSON) })
        return object
    }
}

extension AccountPasskey {
    fileprivate var adminJSON: JSONObject {
        [
            "id": .string(Base64URL.encode(credential.id)),
            "name": .string(name),
            "added_at": .string(HTTPDate.rfc3339(addedAt)),
            "last_used_at": usedAt.map { .string(HTTPDate.rfc3339($0)) } ?? .null,
            "count": .number(JSONNumber(Int(credential.signatureCount))),
            "is_shared": .bool(credential.isBackupEligible),
        ]
    }
}
