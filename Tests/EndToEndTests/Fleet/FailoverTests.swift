import TestSupport
import Testing
import Verification

/// Redis with Sentinel: the master is killed and a replica replaces it.
@Suite struct FailoverTests {
    @Test func acknowledgedChangesOutliveMaster() async throws {
        try await SentinelSet.run(replicas: 2) { set in
            try await withInstances { fleet in
                let (first, second) = (try await fleet.start(set.url), try await fleet.start(set.url))
                let subjects = (0..<20).map { "subject-\($0)" }
                let revoked = try fleet.tokens(of: subjects)
                let withdrawn = try fleet.token(["sub": "withdrawn"])
                let free = try fleet.token(["sub": "free"])
                try await expectRevoked(["subject": "withdrawn"], by: first)
                try await expectWithdrawn(["subject": "withdrawn"], by: first)
                for subject in subjects { try await expectRevoked(["subject": .string(subject)], by: first) }
                try await set.master.kill()
                // Revocations stay in force without waiting for the new master.
                #expect(try await first.refuses(revoked[0]))
                #expect(try await !first.refuses(free))
                try await CrashTests.expectRevokingWorks(by: second, at: first, fleet)
                let third = try await fleet.start(set.url)
                for instance in [first, second, third] {
                    for token in revoked { #expect(try await instance.refuses(token)) }
                    #expect(try await !instance.refuses(free))
                    #expect(try await !instance.refuses(withdrawn))
                }
            }
        }
    }
}
