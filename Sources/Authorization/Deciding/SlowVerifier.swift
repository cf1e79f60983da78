package import NIOCore
package import Tenants
package import Time
package import Verification

/// Verifies tokens on an event loop other than the workers'. On the shared task threads a flood of costly tokens would
/// delay other work, such as reading revocations. Each actor has its own verifiers, because OpenSSL contexts are not
/// shared.
package actor SlowVerifier {
    package nonisolated let eventLoop: any EventLoop
    /// By tenant index.
    private var tenants: [VerifiedTenant]
    private var tenantsByKeySource: [KeySource: [TenantIndex]]
    private var knownKeys: [KeySource: KeySet] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    package init(_ snapshot: ConfigurationSnapshot, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        tenants = snapshot.tenants.tenantIndices.map { VerifiedTenant($0, snapshot) }
        tenantsByKeySource = snapshot.tenantsByKeySource
    }

    /// Replaces the tenants whose tokens are verified, where they have changed.
    package func adopt(_ snapshot: ConfigurationSnapshot) {
        tenants = snapshot.tenants.tenantIndices.map { index in
            if index.value < tenants.count, tenants[index].revision == snapshot.revisions[index] {
                return tenants[index]
            }
            let tenant = VerifiedTenant(index, snapshot)
            for source in tenant.keySources where !source.isFile {
                if let keys = knownKeys[source] { tenant.use(keys, from: source) }
            }
            return tenant
        }
        tenantsByKeySource = snapshot.tenantsByKeySource
        // A file may have changed, and changed back.
        for (source, keys) in snapshot.keysInFiles { use(keys, from: source) }
    }

    /// Sets the keys of issuers that use `source`.
    package func use(_ keys: KeySet?, from source: KeySource) {
        knownKeys[source] = keys
        for index in tenantsByKeySource[source, default: []] { tenants[index].use(keys, from: source) }
    }

    package func verify(_ step: SignatureStep) -> Result<VerifiedToken, VerificationFailure> {
        do throws(VerificationFailure) {
            let token = step.token.span
            let tenant = tenants[step.tenant]
            return .success(try tenant.verifier.verify(token, at: step.now, refreshableFor: tenant.grace))
        } catch {
            return .failure(error)
        }
    }

    /// Verifies a token that came from a refresh.
    package func verify(_ token: [UInt8], ofTenant tenant: TenantIndex, at now: UnixTime) -> Result<
        Principal, VerificationFailure
    > {
        do throws(VerificationFailure) {
            return .success(try tenants[tenant].verifier.verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }
}

/// What verifies a tenant's tokens.
private struct VerifiedTenant {
    /// See ``ConfigurationSnapshot/revisions``.
    let revision: UInt64
    let verifier: TokenVerifier
    /// By issuer index in the policy.
    let keySources: [KeySource]
    /// Seconds for which an expired token may still be refreshed.
    let grace: Double

    init(_ index: TenantIndex, _ snapshot: ConfigurationSnapshot) {
        let tenant = snapshot.tenants[index]
        revision = snapshot.revisions[index]
        verifier = TokenVerifier(tenant.authenticate.policy)
        keySources = tenant.authenticate.keySources
        grace = tenant.refreshGrace.secondsAsDouble
    }

    func use(_ keys: KeySet?, from source: KeySource) {
        for index in keySources.indices where keySources[index] == source { verifier.use(keys, ofIssuer: index) }
    }
}

extension KeySource {
    /// Whether its keys are read with the configuration, so that earlier ones are outdated.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
