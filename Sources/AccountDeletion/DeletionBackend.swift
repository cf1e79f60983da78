public import IdentityProvider
public import Tenants
import Time
import TokenSigning

/// A tenant's backend that is told of deleted accounts.
public struct DeletionBackend: Sendable {
    /// Statuses of a backend that has nothing left to delete (RFC 9110 sections 15.5.5 and 15.5.11).
    private static let goneStatuses = [404, 410]

    let tenant: String
    private let call: AccountDeletionRules.Call
    private let calls: any BackendCalls
    private let proof: HookProof?

    /// - Parameters:
    ///   - tenant: Its name.
    ///   - proof: Signs the call; nil for a tenant without its own issuer.
    public init(tenant: String, call: AccountDeletionRules.Call, calls: any BackendCalls, proof: HookProof?) {
        self.tenant = tenant
        self.call = call
        self.calls = calls
        self.proof = proof
    }

    /// Tells it of one; to be repeated if it fails.
    func tell(_ deletion: Deletion, at now: UnixTime) async throws(DeletionFailure) {
        guard let target = call.target(of: deletion.subject) else { throw DeletionFailure(.unsafeSubject) }
        let fields = try await proofFields(deletion, target, at: now)
        let status = try await mappingErrors(DeletionFailure.init) { () async throws(ProviderRequestFailure) in
            try await calls.send(call.method, target, fields)
        }
        guard (200..<300).contains(status) || Self.goneStatuses.contains(status) else {
            throw DeletionFailure(.refused, status: status)
        }
    }

    private func proofFields(
        _ deletion: Deletion,
        _ target: String,
        at now: UnixTime
    ) async throws(DeletionFailure) -> [EndpointResponse.Field] {
        guard let proof else { return [] }
        let field = try await mappingErrors({ _ in DeletionFailure(.keyProblem) }) { () async throws(SigningProblem) in
            try await proof.field(
                for: [],
                audience: target,
                further: [
                    "sub": .string(deletion.subject), "method": .string(call.method), "deletion": .string(deletion.id),
                ],
                at: now
            )
        }
        return [field]
    }
}
