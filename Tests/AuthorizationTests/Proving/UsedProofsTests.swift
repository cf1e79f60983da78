import Store
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Tenants

/// First use while the store is there, and while it is away.
struct UsedProofsTests {
    private func step(_ id: String) throws -> ProofStep {
        let signer = try ProofSigner(SigningKey.generate(.p256), algorithm: .es256)
        let text = try signer.sign(method: "GET", target: ProofPipeline.target, id: id, at: RequestPipeline.now)
        let proof = try DPoPProof.parse(Array(text.utf8).span)
        return ProofStep(tenant: 0, proof: proof, usableUntil: RequestPipeline.now + 60)
    }

    private func tenant(_ policy: StoreFailurePolicy) throws -> Tenant {
        var tenant = try RequestPipeline.tenant()
        tenant.proof = ProofRules()
        tenant.onStoreFailure = policy
        return tenant
    }

    @Test(arguments: StoreFailurePolicy.allCases)
    func storeRefusesAReplayedProof(policy: StoreFailurePolicy) async throws {
        let store = MemoryStore()
        let here = UsedProofs([try tenant(policy)], store: store)
        let elsewhere = UsedProofs([try tenant(policy)], store: store)
        let step = try step("a")
        #expect(await here.use(step, at: RequestPipeline.now) == .good(keyThumbprint: step.proof.keyThumbprint))
        #expect(await here.use(step, at: RequestPipeline.now) == .replayed)
        #expect(await elsewhere.use(step, at: RequestPipeline.now) == .replayed)
    }

    @Test func proofIsRefusedWithoutTheStore() async throws {
        let store = FailingStore()
        store.cut()
        let used = UsedProofs([try tenant(.deny)], store: store)
        #expect(await used.use(try step("a"), at: RequestPipeline.now) == .storeUnavailable)
    }

    @Test func processRemembersProofsWithoutTheStore() async throws {
        let store = FailingStore()
        let used = UsedProofs([try tenant(.allow)], store: store)
        let earlier = try step("earlier")
        #expect(await used.use(earlier, at: RequestPipeline.now) == .good(keyThumbprint: earlier.proof.keyThumbprint))
        store.cut()
        let step = try step("a")
        #expect(await used.use(step, at: RequestPipeline.now) == .good(keyThumbprint: step.proof.keyThumbprint))
        #expect(await used.use(step, at: RequestPipeline.now) == .replayed)
        #expect(await used.use(earlier, at: RequestPipeline.now) == .replayed)
    }

    @Test func rememberedProofsAreBounded() throws {
        let recent = RecentProofs(capacity: 2)
        let (first, second, third) = (try step("a").proof, try step("a").proof, try step("c").proof)
        #expect(recent.note(first, until: 100, at: 40) == .new)
        #expect(recent.note(second, until: 200, at: 40) == .new)
        #expect(recent.note(third, until: 200, at: 40) == .full)
        #expect(recent.note(first, until: 100, at: 100) == .known)
        // The first one is too old to be used again: there is room.
        #expect(recent.note(try step("d").proof, until: 201, at: 100.5) == .new)
        #expect(recent.note(second, until: 200, at: 101) == .known)
    }

    /// The set was full and now is not: whether the proof was used is unknown.
    @Test func unrecordedProofIsNotNewLater() throws {
        let recent = RecentProofs(capacity: 1)
        let (first, missed, later) = (try step("a").proof, try step("b").proof, try step("c").proof)
        #expect(recent.note(first, until: 100, at: 40) == .new)
        #expect(recent.note(missed, until: 120, at: 60) == .full)
        #expect(recent.note(missed, until: 120, at: 101) != .new)
        #expect(recent.note(later, until: 190, at: 130) == .new)
    }

    /// Looking at all of them for each that comes would cost more than the proofs.
    @Test func fullMemoryIsCleanedOnceASecond() throws {
        let recent = RecentProofs(capacity: 2)
        #expect(recent.note(try step("a").proof, until: 100, at: 40) == .new)
        #expect(recent.note(try step("b").proof, until: 100.5, at: 40) == .new)
        #expect(recent.note(try step("c").proof, until: 200, at: 100.25) == .new)
        #expect(recent.note(try step("d").proof, until: 200, at: 101) == .full)
        #expect(recent.note(try step("e").proof, until: 201, at: 101.5) == .new)
    }
}
