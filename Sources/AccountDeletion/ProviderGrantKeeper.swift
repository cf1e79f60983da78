public import IdentityProvider
public import Logging
public import Store
import Synchronization
public import Tenants
public import Time
import Verification

/// Keeps what Apple and Google give with sign-ins, until the account is deleted.
///
/// An app's authorization code is redeemed beside its sign-in, which neither waits for the provider nor fails with it:
/// the code is good for five minutes, and is tried a few times. If the provider is down for longer, or the instance
/// stops, nothing is kept of this sign-in; the next one brings another code.
public final class ProviderGrantKeeper: ProviderGrantKeeping {
    /// A code that an app has brought with a verified token.
    struct Code: Sendable {
        let identity: ProviderIdentity
        let code: String
        /// The client it was given to.
        let clientID: String
        let subject: String
    }

    /// How many codes are being redeemed at a time; further ones are given up.
    private static let mostAtOnce = 256
    /// Tenths of a second that a deletion waits for them.
    private static let mostWaits = 20
    /// Until the next attempt; all of them are within a code's life of five minutes.
    private static let pauses: [Duration] = [.seconds(2), .seconds(10), .seconds(40), .seconds(120)]

    private let tenant: Tenant
    private let records: ProviderGrantRecords
    private let accounts: any AccountFinding
    private let deletions: DeletionService
    private let redemption: CodeRedemption
    private let logger: Logger
    private let now: @Sendable () -> UnixTime
    private let pause: @Sendable (Duration) async -> Void
    private let running = Mutex<[UInt64: (subject: String, task: Task<Void, Never>)]>([:])
    private let lastID = Mutex<UInt64>(0)

    /// - Parameters:
    ///   - store: Open.
    ///   - sealer: Seals the tokens.
    ///   - pause: Waits.
    /// - Returns: Nil for a tenant without sign-in.
    public init?(
        _ tenant: Tenant,
        store: any Store,
        sealer: Sealer,
        accounts: any AccountFinding,
        deletions: DeletionService,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        guard let signIn = tenant.signIn else { return nil }
        self.tenant = tenant
        records = ProviderGrantRecords(store, sealer: sealer, realm: tenant.accounts.realm, tenant: tenant.name)
        self.accounts = accounts
        self.deletions = deletions
        redemption = CodeRedemption(
            signIn: signIn,
            tokens: tokens,
            requests: requests,
            logger: logger
        )
        self.logger = logger
        self.now = now
        self.pause = pause
    }

    public func keep(
        _ given: GivenToken?,
        of identity: ProviderIdentity,
        forSubject subject: String,
        at now: UnixTime
    ) async {
        guard let given else { return }
        let grant = ProviderGrant(
            provider: identity.provider,
            tenant: tenant.name,
            login: identity.subject,
            given: given,
            at: now
        )
        do throws(StoreError) {
            try await records.change(subject) { $0.add(grant) }
            guard let step = grant.step, try await isDeleted(subject) else { return }
            try await deletions.reopen(step, ofSubject: subject, tenant: tenant.name)
        } catch {
            logger.warning(
                "a provider's token cannot be kept: it will not be taken back when the account is deleted",
                metadata: ["tenant": "\(tenant.name)", "subject": "\(subject)", "reason": "\(error)"]
            )
        }
    }

    public func redeem(_ text: String, of identity: ProviderIdentity, subject: String, audience: String?) {
        guard let clientID = redemption.clientID(of: identity.provider, audience: audience) else { return }
        redeem(Code(identity: identity, code: text, clientID: clientID, subject: subject))
    }

    private func redeem(_ code: Code) {
        let id = lastID.withLock { last in
            last += 1
            return last
        }
        running.withLock { running in
            guard running.count < Self.mostAtOnce else { return note(code, "too many at once") }
            let task = Task {
                await self.carryOut(code)
                _ = self.running.withLock { $0.removeValue(forKey: id) }
            }
            running[id] = (code.subject, task)
        }
    }

    public func settle(_ subject: String) async {
        for _ in 0..<Self.mostWaits {
            let isOver = running.withLock { running in
                !running.values.contains { $0.subject.utf8.elementsEqual(subject.utf8) }
            }
            guard !isOver else { return }
            await pause(.milliseconds(100))
        }
    }

    /// Returns when no code is being redeemed.
    func finish() async {
        while let task = running.withLock({ $0.first?.value.task }) { await task.value }
    }

    private func carryOut(_ code: Code) async {
        var pauses = Self.pauses[...]
        while true {
            do throws(EndpointRefusal) {
                let given = try await redemption.redeem(code, at: now())
                return await keep(given, of: code.identity, forSubject: code.subject, at: now())
            } catch {
                // The code itself is refused, or it is over.
                guard error.status >= 500, let next = pauses.popFirst() else { return note(code, error.detail) }
                await pause(next)
            }
        }
    }

    private func isDeleted(_ subject: String) async throws(StoreError) -> Bool {
        try await mappingErrors({ _ in StoreError.unavailable("the account cannot be read") }) {
            () async throws(AccountProblem) in try await accounts.account(ofSubject: subject) == nil
        }
    }

    private func note(_ code: Code, _ reason: String) {
        logger.warning(
            "an app's authorization code gives no token: none will be taken back when the account is deleted",
            metadata: [
                "tenant": "\(tenant.name)", "provider": "\(code.identity.provider.rawValue)",
                "client": "\(code.clientID)", "subject": "\(code.subject)", "reason": "\(reason)",
            ]
        )
    }
}
