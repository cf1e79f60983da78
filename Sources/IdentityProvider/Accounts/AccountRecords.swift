import Logging
import Store
import Tenants
import Time
import Verification

/// The accounts of a realm, or of a tenant without one, in the store: the accounts by subject, and the pointers to
/// them. Nothing here expires. Keys do not reveal whose they are.
struct AccountRecords: Sendable {
    /// An account as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let record: AccountRecord
        let bytes: [UInt8]
    }

    /// The subject that an identity or an e-mail points to.
    struct Pointer: Sendable {
        let subject: String
        let since: UnixTime
        fileprivate let bytes: [UInt8]
    }

    private static let page = 200

    private let store: any Store
    private let scope: String
    /// Precedes each kind: a realm and a tenant of the same name share nothing.
    private let prefix: String
    private let logger: Logger

    init(_ store: any Store, realm: String?, tenant: String, logger: Logger) {
        self.store = store
        scope = realm ?? tenant
        prefix = realm == nil ? "" : "realm-"
        self.logger = logger
    }

    // MARK: Accounts

    func account(_ subject: String) async throws(AccountProblem) -> Stored? {
        if case .account(let stored) = try await find(subject) { stored } else { nil }
    }

    /// Replaces `stored` with `record`, or adds it if `stored` is nil.
    ///
    /// - Returns: Whether it is stored; false if another instance changed or created the account in between.
    func replace(_ stored: Stored?, with record: AccountRecord) async throws(AccountProblem) -> Bool {
        let bytes = record.json
        if let stored, stored.bytes == bytes { return true }
        return try await replace(stored?.bytes, with: bytes, key(ofAccount: record.account.subject), lifetime: nil)
    }

    /// A page of all accounts; see ``Store/keys(ofTenant:kind:cursor:limit:)``.
    func page(
        after cursor: String?
    ) async throws(AccountProblem) -> (accounts: [AccountRecord], unreadable: Int, next: String?) {
        let (keys, next) = try await mappingErrors(problem) { () async throws(StoreError) in
            try await store.keys(ofTenant: scope, kind: prefix + "account", cursor: cursor, limit: Self.page)
        }
        var accounts: [AccountRecord] = []
        var unreadable = 0
        for key in keys {
            guard let bytes = try await value(key) else { continue }
            if let record = AccountRecord(json: bytes) {
                accounts.append(record)
            } else if DeletedAccount(json: bytes) == nil {
                unreadable += 1
            }
        }
        return (accounts, unreadable, next)
    }

    // MARK: Pointers

    func pointer(of source: some AccountPointing) async throws(AccountProblem) -> Pointer? {
        let key = key(of: source)
        guard let bytes = try await value(key) else { return nil }
        guard let object = try? JSONParser.parse(bytes).object, object["v"]?.double == 1,
            let subject = object["sub"]?.string, let since = object["since"]?.double
        else { throw garbled(key) }
        return Pointer(subject: subject, since: UnixTime(since), bytes: bytes)
    }

    /// - Returns: Whether it points to `subject` now; false if another instance changed it in between.
    func point(
        _ source: some AccountPointing,
        to subject: String,
        insteadOf pointer: Pointer?,
        at now: UnixTime
    ) async throws(AccountProblem) -> Bool {
        // One that is about to expire, because its account was deleted, would take the new one with it.
        let lifetime = pointer == nil ? nil : Self.pointerLifetime
        return try await replace(pointer?.bytes, with: Self.json(subject, now), key(of: source), lifetime: lifetime)
    }

    /// A hundred years: a lifetime replaces an expiry, and none would keep it.
    private static let pointerLifetime = Duration.seconds(36_500 * 86_400)

    /// Forgets a pointer within a minute, unless it is changed before.
    func expire(_ pointer: Pointer, of source: some AccountPointing) async throws(AccountProblem) {
        let key = key(of: source)
        _ = try await mappingErrors(problem) { () async throws(StoreError) in
            try await store.replace(pointer.bytes, with: pointer.bytes, for: key, lifetime: .seconds(60))
        }
    }

    private static func json(_ subject: String, _ now: UnixTime) -> [UInt8] {
        JSONWriter.bytes(of: ["v": 1, "sub": .string(subject), "since": .time(now)] as JSONObject)
    }

    // MARK: Keys

    func key(ofAccount subject: String) -> StoreKey { key("account", subject.utf8) }

    private func key(of source: some AccountPointing) -> StoreKey { key(source.pointerKind, source.bytes) }

    private func key(_ kind: String, _ name: some Sequence<UInt8>) -> StoreKey {
        StoreKey(tenant: scope, kind: prefix + kind, hashing: name)
    }

    // MARK: The store

    func value(_ key: StoreKey) async throws(AccountProblem) -> [UInt8]? {
        try await mappingErrors(problem) { () async throws(StoreError) in try await store.value(for: key) }
    }

    /// - Parameter lifetime: Nil to keep the present expiry.
    func replace(
        _ expected: [UInt8]?,
        with bytes: [UInt8],
        _ key: StoreKey,
        lifetime: Duration?
    ) async throws(AccountProblem) -> Bool {
        try await mappingErrors(problem) { () async throws(StoreError) in
            try await store.replace(expected, with: bytes, for: key, lifetime: lifetime)
        }
    }

    func garbled(_ key: StoreKey) -> AccountProblem { problem(.garbled("\(key) cannot be read")) }

    private func problem(_ error: StoreError) -> AccountProblem {
        switch error {
        case .unavailable: break
        case .unusable, .sealBroken, .garbled:
            logger.error("an account cannot be read or kept", metadata: ["error": "\(error)"])
        }
        return .unavailable(.storeUnavailable)
    }
}

/// An identity, an e-mail or a passkey, which points to an account.
protocol AccountPointing {
    /// The kind of its record.
    var pointerKind: String { get }
    var bytes: [UInt8] { get }
}

extension EmailAddress: AccountPointing {
    var pointerKind: String { "account-email" }
}

extension Account.Identity: AccountPointing {
    var pointerKind: String { "account-identity" }
    /// No provider's name has a NUL, so two pairs never have the same bytes.
    var bytes: [UInt8] { Array(provider.rawValue.utf8) + [0] + subject.utf8 }
}
