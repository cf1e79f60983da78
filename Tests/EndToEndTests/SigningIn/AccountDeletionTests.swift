import Demo
import TestSupport
import Testing
import Verification

/// Deletions of accounts go on after a restart.
@Suite struct AccountDeletionTests {
    @Test func deletionIsCompletedAfterARestartOnceAppleIsBack() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let setup = AppSetup.fixture([.games], gateway: "store: \"embedded:\(scratch.path)/gatehouse.db\"")
            .deletingAccounts()
        try await withStandIn(setup) { standIn, values in
            let backend = try await RecordingBackend.start(.ok)
            var values = values.merging(["backend": "http://127.0.0.1:\(backend.port)"]) { $1 }
            values["jwks"] = try scratch.write(try TestIssuer.shared().jwks, to: "jwks.json")
            let all = values
            try await attempt {
                standIn.fail(.down, for: .appleRevoke)
                var made: (subject: String, access: String, receipt: String)?
                try await setup.withGames(all) { app in
                    made = try await Self.delete(DeletingApp(app: app, standIn: standIn))
                }
                let before = try #require(made)
                standIn.fail(nil, for: .appleRevoke)
                try await setup.withGames(all) { app in
                    let app = DeletingApp(app: app, standIn: standIn)
                    try await until("the deletion is complete") {
                        try await app.states(before.receipt)["apple"] == "done"
                    }
                    #expect(try await app.states(before.receipt)["backend"] == "done")
                    #expect(standIn.validRefreshTokens(of: ProviderUser.anna.subject, at: .apple) == 0)
                    expectRefusal(try await app.app.get("/scores", token: before.access), 401, "token_revoked")
                    #expect(try await app.signIn(.anna, nonce: "after").subject != before.subject)
                }
                let target = "/internal/users/\(before.subject)"
                #expect(backend.requests.contains { $0.method == "DELETE" && $0.target == target })
            } finally: {
                await backend.stop()
            }
        }
    }

    private static func delete(
        _ app: DeletingApp
    ) async throws -> (subject: String, access: String, receipt: String) {
        let (subject, access) = try await app.signIn(.anna, nonce: "before")
        try await until("the code is redeemed") {
            app.standIn.validRefreshTokens(of: ProviderUser.anna.subject, at: .apple) == 1
        }
        let receipt = try await app.delete(access)
        #expect(try await app.states(receipt)["account"] == "done")
        try await until("Apple is asked") { app.standIn.calls(.appleRevoke) > 0 }
        #expect(try await app.states(receipt)["apple"] == "pending")
        #expect(app.standIn.validRefreshTokens(of: ProviderUser.anna.subject, at: .apple) == 1)
        return (subject, access, receipt)
    }
}
