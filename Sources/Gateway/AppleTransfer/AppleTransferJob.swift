public import IdentityProvider
import Logging
import NIOPosix
import OutgoingHTTP
import Store
public import Tenants

/// Work on the accounts of a tenant's realm in its store, beside the gateways that use it, for an app that moves to another
/// Apple team.
public struct AppleTransferJob: Sendable {
    private let location: StoreLocation
    private let tenant: Tenant
    private let step: AppleTransferRun.Step
    private let team: AppleTransferClient.Team?
    private let atOnce: Int

    /// - Parameters:
    ///   - team: Nil for a dry run, which asks Apple nothing and changes nothing.
    ///   - atOnce: Accounts that are worked on at once.
    public init(
        _ step: AppleTransferRun.Step,
        of tenant: Tenant,
        in configuration: TenantsConfiguration,
        team: AppleTransferClient.Team?,
        atOnce: Int
    ) {
        location = configuration.gateway.store
        self.tenant = tenant
        self.step = step
        self.team = team
        self.atOnce = atOnce
    }

    /// - Parameter progress: Called after each page of accounts that has changed the counts, with those so far.
    public func run(
        progress: @Sendable (AppleTransferCounts) -> Void
    ) async throws(AppleTransferProblem) -> AppleTransferCounts {
        guard location != .memory else {
            throw .store("gateway.store is memory:, which no other process sees, and nothing survives in it")
        }
        let group = MultiThreadedEventLoopGroup.singleton
        var logger = Logger(label: "gatehouse.accounts")
        // The counts are what its operator reads.
        logger.logLevel = .warning
        let store = StoreFactory.make(location, group: group, logger: logger)
        let http = OutgoingHTTP(group: group)
        let result: Result<AppleTransferCounts, AppleTransferProblem>
        do throws(AppleTransferProblem) {
            result = .success(try await run(store, http, progress))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        await store.close()
        return try result.get()
    }

    private func run(
        _ store: any Store,
        _ http: OutgoingHTTP,
        _ progress: @Sendable (AppleTransferCounts) -> Void
    ) async throws(AppleTransferProblem) -> AppleTransferCounts {
        do throws(StoreError) {
            try await store.open()
        } catch {
            throw .store("\(error)")
        }
        var client: AppleTransferClient?
        if let team {
            client = try AppleTransferClient(
                team,
                audience: tenant.signIn?.apple?.issuer ?? AppleSignIn.defaultIssuer,
                tokenURL: tenant.signIn?.apple?.tokenURL ?? AppleSignIn.defaultTokenURL,
                requests: ProviderHTTP(http: http)
            )
        }
        let accounts = AccountRepository(tenant.accounts, tenant: tenant.name, store: store)
        return try await AppleTransferRun(step, of: accounts, client: client, atOnce: atOnce).run(progress: progress)
    }
}
