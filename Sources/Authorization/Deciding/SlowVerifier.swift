package import NIOCore
package import Tenants
package import Time
package import Verification

/// Verifies tokens on an event loop other than the workers'. On the shared task threads a flood of costly tokens would
/// delay other work, such as reading revocations. Each actor has its own verifiers, because OpenSSL contexts are not
/// shared.
package actor SlowVerifier {
    package nonisolated let eventLoop: any EventLoop
    private var verifiers: [TokenVerifier]
    private var keySources: [[KeySource]]
    private var graces: [Double]
    private var knownKeys: [KeySource: KeySet] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// - Parameter tenants: By tenant index.
    package init(_ tenants: [Tenant], eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        verifiers = tenants.map { TokenVerifier($0.authenticate.policy) }
        keySources = tenants.map(\.authenticate.keySources)
        graces = tenants.map(\.refreshGrace.secondsAsDouble)
    }

    /// Replaces the tenants whose tokens are verified.
    ///
    /// - Parameter tenants: By tenant index.
    package func adopt(_ tenants: [Tenant]) {
        verifiers = tenants.map { TokenVerifier($0.authenticate.policy) }
        keySources = tenants.map(\.authenticate.keySources)
        graces = tenants.map(\.refreshGrace.secondsAsDouble)
        for (verifier, sources) in zip(verifiers, keySources) {
            for (index, source) in sources.enumerated() where !source.isFile {
                if let keys = knownKeys[source] { verifier.use(keys, ofIssuer: index) }
            }
        }
    }

    /// Sets the keys of issuers that use `source`.
    package func use(_ keys: KeySet?, from source: KeySource) {
        knownKeys[source] = keys
        for (verifier, sources) in zip(verifiers, keySources) {
            for index in sources.indices where sources[index] == source { verifier.use(keys, ofIssuer: index) }
        }
    }

    package func verify(_ step: SignatureStep) -> Result<VerifiedToken, VerificationFailure> {
        do throws(VerificationFailure) {
            let token = step.token.span
            let grace = graces[step.tenant]
            return .success(try verifiers[step.tenant].verify(token, at: step.now, refreshableFor: grace))
        } catch {
            return .failure(error)
        }
    }

    /// Verifies a token that came from a refresh.
    package func verify(_ token: [UInt8], ofTenant tenant: TenantIndex, at now: UnixTime) -> Result<
        Principal, VerificationFailure
    > {
        do throws(VerificationFailure) {
            return .success(try verifiers[tenant].verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }
}

extension KeySource {
    /// Whether its keys are read with the configuration, so that earlier ones are outdated.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
