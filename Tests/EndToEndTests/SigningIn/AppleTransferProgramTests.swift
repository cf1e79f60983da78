import Demo
import Foundation
import TestSupport
import Testing
import Verification

/// `gatehouse accounts migrate-apple` on the store of a gateway that runs, with the backend in Apple's place.
@Suite struct AppleTransferProgramTests {
    private static let (oldTeam, newTeam) = ("A1B2C3D4E5", "B7C8D9E0F1")

    /// Apple's two endpoints. It knows Anna; towards the new team she is Ben.
    private static let apple = BackendScript { exchange in
        let asked = try await exchange.body().text
        var answer: JSONObject = [:]
        switch exchange.head.path {
        case "/apple/token": answer = ["access_token": "t", "expires_in": 3600, "token_type": "Bearer"]
        case "/apple/usermigrationinfo" where asked.contains("target=\(newTeam)"):
            answer = ["transfer_sub": "on-the-way"]
        case "/apple/usermigrationinfo" where asked.contains("transfer_sub=on-the-way"):
            answer = ["sub": .string(ProviderUser.ben.subject), "email": .string(ProviderUser.ben.email)]
        default: break
        }
        let body = JSONWriter.text(of: .object(answer))
        try await exchange.sendOK(body, fields: "Content-Type: application/json\r\n")
    }

    private let scratch: Scratch
    private let setup: GatewaySetup

    init() throws {
        scratch = try Scratch()
        setup = AppSetup.fixture([.games], gateway: "store: \"embedded:\(scratch.path)/gatehouse.db\"")
    }

    @Test func peopleKeepTheirAccountsWhenTheirAppMoves() async throws {
        defer { scratch.remove() }
        try await withStandIn(setup) { standIn, values in
            try await withGateway(setup, backend: Self.apple, values: values) { fixture async throws in
                let app = fixture.app(.games)
                let anna = try await Self.signIn(.anna, app, standIn)
                let file = try file(values, fixture)

                let count = try await migrate(file, team: Self.oldTeam, "--to-team", Self.newTeam, "--dry-run")
                #expect(count.exit == 0 && count.output.contains("1 would be prepared for the new team, 0 were before"))
                #expect(fixture.backend.requests.isEmpty, "a dry run asks Apple nothing")
                let before = try await migrate(file, team: Self.oldTeam, "--to-team", Self.newTeam)
                #expect(
                    before.exit == 0 && before.output.contains("1 prepared for the new team, 0 were before"),
                    "\(before)"
                )
                let after = try await migrate(file, team: Self.newTeam, "--after")
                #expect(after.exit == 0 && after.output.contains("1 moved to the new team, 0 were before"), "\(after)")
                let again = try await migrate(file, team: Self.newTeam, "--after")
                #expect(again.exit == 0 && again.output.contains("0 moved to the new team, 1 were before"), "\(again)")

                #expect(try await Self.signIn(.ben, app, standIn) == anna, "the new team's name leads to the account")
                #expect(try await Self.signIn(.anna, app, standIn) == anna, "and so does the former")
            }
        }
    }

    @Test func whoeverWasNotPreparedIsNamedInTheEnd() async throws {
        defer { scratch.remove() }
        try await withStandIn(setup) { standIn, values in
            try await withGateway(setup, backend: Self.apple, values: values) { fixture async throws in
                _ = try await Self.signIn(.anna, fixture.app(.games), standIn)
                let after = try await migrate(try file(values, fixture), team: Self.newTeam, "--after")
                #expect(after.exit == 1 && after.output.contains("1 were not prepared before the move"), "\(after)")
                #expect(after.errors.contains("not everybody was taken along") && after.errors.contains("--to-team"))
            }
        }
    }

    /// - Returns: The subject of the account.
    private static func signIn(_ user: ProviderUser, _ app: AppClient, _ standIn: ProviderStandIn) async throws
        -> String
    {
        let nonce = UUID().uuidString
        let body: JSONObject = [
            "identity_token": .string(try standIn.appleToken(user, for: "com.example.games", nonce: nonce)),
            "nonce": .string(nonce),
        ]
        let response = try await app.post("/auth/apple", json: body)
        return try #require(response.json?["user"]?.object?["id"]?.string, "\(response.body.text)")
    }

    /// The gateway's configuration, with the backend in Apple's place.
    private func file(_ values: [String: String], _ fixture: GatewayFixture) throws -> String {
        let backend = "http://127.0.0.1:\(fixture.backend.port)"
        let own = [
            "backend": backend, "apple_token": "\(backend)/apple/token",
            "jwks": try scratch.write(fixture.issuer.jwks, to: "jwks.json"),
        ]
        return try scratch.write(setup.text(values.merging(own) { $1 }), to: "tenants.yaml")
    }

    private func migrate(_ file: String, team: String, _ step: String...) async throws -> GatehouseProgram.Output {
        let key = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        let own = ["--team-id", team, "--key-id", "K1", "--key-file", try scratch.write(key, to: "\(team).p8")]
        return try await GatehouseProgram.run(
            ["accounts", "migrate-apple", "--config", file, "--tenant", "games"] + step + own,
            environment: ["TEST_SECRET": TestIssuer.secret, "GATEHOUSE_KEY": setup.sealingKeys ?? ""]
        )
    }
}
