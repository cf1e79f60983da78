import Tenants
import TestSupport
import Testing
import Verification

/// `gatehouse revoke` against a running gateway.
@Suite struct RevokeCommandRunTests {
    private static let environment = ["GATEHOUSE_ADMIN_TOKEN": GatewayFixture.adminToken]

    private func run(
        _ fixture: GatewayFixture,
        _ arguments: [String],
        environment: [String: String] = Self.environment,
        input: String = ""
    ) async throws -> GatehouseProgram.Output {
        let admin = "http://\(try #require(fixture.adminAddress))"
        return try await GatehouseProgram.run(
            ["revoke", "--tenant", "app", "--admin", admin] + arguments,
            environment: environment,
            input: input
        )
    }

    @Test(arguments: [
        (["--jti", "t1"], "token t1 of https://id.test"), (["--session", "s1"], "session s1"),
        (["--subject", "alice"], "subject alice, tokens issued before "), (["--all"], "all tokens issued before "),
    ])
    func selectorsRevokeAndWithdraw(_ arguments: [String], _ description: String) async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let token = try fixture.token(["jti": "t1", "sid": "s1", "sub": "alice"])
            let revoked = try await run(fixture, arguments + ["--reason", "a test"])
            #expect(revoked.exit == 0 && revoked.errors == "", "\(revoked)")
            #expect(revoked.output.hasPrefix("revoked: tenant app, \(description)"))
            #expect(revoked.output.hasSuffix(", until it is withdrawn\n"))
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
            let withdrawn = try await run(fixture, arguments + ["--withdraw"])
            #expect(withdrawn.exit == 0 && withdrawn.errors == "", "\(withdrawn)")
            #expect(withdrawn.output.hasPrefix("withdrawn: tenant app, \(description)"))
            #expect(try await fixture.request("/x", token: token).status == 200)
            let again = try await run(fixture, arguments + ["--withdraw"])
            #expect(again.exit == 0 && again.output == "nothing was withdrawn: no such revocation was in force\n")
        }
    }

    @Test func tokenIsReadFromStandardInput() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let token = try fixture.token()
            let revoked = try await run(fixture, ["--token", "-", "--for", "1h"], input: token + "\n")
            #expect(revoked.exit == 0 && revoked.errors == "", "\(revoked)")
            #expect(revoked.output.hasPrefix("revoked: tenant app, one token, by its content, until "))
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
            for input in ["", "\n", "a b", "\(token)\n\(token)\n", String(repeating: "x", count: 40_000)] {
                let refused = try await run(fixture, ["--token", "-"], input: input)
                #expect(refused.exit == 1)
                #expect(refused.errors.contains("standard input"), "\(refused.errors)")
            }
        }
    }

    @Test func serverErrorsAreQuoted() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let long = try await run(fixture, ["--all", "--for", "4000d"])
            #expect(long.exit == 1 && long.output == "")
            #expect(long.errors.contains("\"for\" must be more than 0 and at most 3650d"))
            let missing = try await run(fixture, ["--all"], environment: [:])
            #expect(missing.exit == 1)
            #expect(missing.errors.contains("put it into the environment as GATEHOUSE_ADMIN_TOKEN"))
            let wrong = try await run(fixture, ["--all"], environment: ["GATEHOUSE_ADMIN_TOKEN": "wrong"])
            #expect(wrong.exit == 1)
            #expect(wrong.errors.contains("check GATEHOUSE_ADMIN_TOKEN"))
            let split = try await run(fixture, ["--all"], environment: ["GATEHOUSE_ADMIN_TOKEN": "a\r\nX: b"])
            #expect(split.exit == 1)
            #expect(split.errors.contains("GATEHOUSE_ADMIN_TOKEN holds"))
            #expect(try await fixture.request("/x", token: try fixture.token()).status == 200)
        }
    }

    /// 0.0.0.0 reaches this machine, but is not a loopback address.
    @Test func tokenOverPlainHTTPIsWarnedAbout() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            let admin = "http://0.0.0.0:\(try #require(fixture.adminAddress).port)"
            let warning = "warning: \(admin) is plain http to another machine"
            let arguments = ["revoke", "--tenant", "app", "--admin", admin]
            let taken = try await GatehouseProgram.run(arguments + ["--all"], environment: Self.environment)
            #expect(taken.exit == 0 && taken.errors.hasPrefix(warning), "\(taken)")
            let token = try fixture.token()
            let untold = try await GatehouseProgram.run(arguments + ["--token", "-"], input: token)
            #expect(untold.exit == 1 && untold.errors.hasPrefix(warning), "\(untold)")
            #expect(!untold.errors.contains(token))
            let harmless = try await GatehouseProgram.run(arguments + ["--all"])
            #expect(harmless.exit == 1 && !harmless.errors.contains("warning"), "\(harmless)")
        }
    }

    @Test func refusedConnectionNamesAddress() async throws {
        let closed = try ClosedPort()
        let admin = "http://127.0.0.1:\(closed.port)"
        let output = try await GatehouseProgram.run(["revoke", "--tenant", "app", "--all", "--admin", admin])
        #expect(output.exit == 1)
        #expect(output.errors.contains("no answer from \(admin): connection refused"))
        #expect(output.errors.contains("gateway.admin"))
        withExtendedLifetime(closed) {}
    }

    @Test func anotherServiceIsRecognized() async throws {
        try await withGateway { fixture async throws in
            let admin = "http://127.0.0.1:\(fixture.backend.port)"
            let output = try await GatehouseProgram.run(["revoke", "--tenant", "app", "--all", "--admin", admin])
            #expect(output.exit == 1)
            #expect(output.errors.contains("what answers at \(admin) is not the admin listener of a gateway"))
        }
    }
}
