import Demo
import TestSupport
import Testing
import Verification

/// Deletions of accounts on two instances with Redis.
@Suite(.serialized) struct AccountDeletionFleetTests {
    @Test func deletedAccountsLetNobodyInAtEitherInstance() async throws {
        try await RedisServer.run(RedisServer.durable) { server in
            try await withSignInFleet({ $0 = $0.deletingAccounts() }) { scene in
                let first = try await scene.fleet.startProcess(server.url).instance
                let second = try await scene.fleet.startProcess(server.url).instance
                let apps = [first, second].map { DeletingApp(app: $0.app(), standIn: scene.standIn) }
                let people = (0..<8).map { ProviderUser(subject: "person-\($0)", email: "person-\($0)@example.com") }
                var receipts: [String] = []
                for (index, person) in people.enumerated() {
                    let (one, other) = (apps[index % 2], apps[(index + 1) % 2])
                    let signedIn = try await one.signIn(person, nonce: "n-\(index)")
                    try await until("the code is redeemed") {
                        scene.standIn.validRefreshTokens(of: person.subject, at: .apple) == 1
                    }
                    let receipt = try await one.delete(signedIn.access)
                    receipts.append(receipt)
                    try await until("the other instance lets the token in no more") {
                        try await other.app.get("/scores", token: signedIn.access).status == 401
                    }
                    // The same receipt at the other instance, with the revoked token.
                    #expect(try await other.delete(signedIn.access) == receipt)
                }
                for receipt in receipts {
                    try await until("the deletion is complete") {
                        try await apps[1].states(receipt).values.allSatisfy { $0 != "pending" }
                    }
                }
                for person in people {
                    #expect(scene.standIn.validRefreshTokens(of: person.subject, at: .apple) == 0)
                }
                // Nobody was asked twice: one instance at a time has a deletion.
                #expect(scene.standIn.calls(.appleRevoke) == people.count)
                let listed = try await first.adminClient.get("/api/deletions?state=ended&tenant=games")
                #expect(listed.json?["deletions"]?.array?.count == people.count, "\(listed.body.text)")
            }
        }
    }
}
