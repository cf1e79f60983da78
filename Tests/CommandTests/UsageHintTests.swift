import Testing

@testable import gatehouse

struct UsageHintTests {
    @Test(arguments: [
        (["serve"], "there is no command serve: write gatehouse run"),
        (["chekc", "tenants.yaml"], "there is no command chekc: did you mean check?"),
        (["tenants.yaml"], "there is no command tenants.yaml; there are run, init, check, explain"),
        (["tokn", "mint"], "there is no command tokn: did you mean token?"),
        (["token", "mnt"], "there is no command token mnt: did you mean token mint?"),
        (["check", "--strict", "tenants.yaml"], "check has no --strict: a mistake always fails it"),
        (["run", "--port", "80"], "run has no --port: that is gateway.listen in tenants.yaml"),
        (["run", "--port=80", "--config", "a"], "run has no --port: that is gateway.listen in tenants.yaml"),
        (["--config", "a", "run"], "options come after the command: gatehouse run --config …"),
        (["--token=secret", "explain"], "options come after the command: gatehouse explain --token …"),
    ])
    func mistakeOfCommandLineIsToldInPlainWords(_ arguments: [String], _ start: String) throws {
        #expect(throws: (any Error).self) { try Gatehouse.parseAsRoot(arguments) }
        let hint = try #require(UsageHint.text(for: arguments, of: Gatehouse.self))
        #expect(hint.hasPrefix(start), "\(hint)")
    }

    @Test(arguments: [["check"], ["run"], ["explain", "--method", "GET"], ["--nothing"], []])
    func otherMistakesAreLeftToTheParser(_ arguments: [String]) {
        #expect(UsageHint.text(for: arguments, of: Gatehouse.self) == nil)
    }

    @Test func explainNeedsConfigurationOrGateway() throws {
        let request = ["explain", "--tenant", "shop", "--method", "get", "--path", "/"]
        #expect(throws: (any Error).self) { try Gatehouse.parseAsRoot(request) }
        #expect(throws: Never.self) { try Gatehouse.parseAsRoot(request + ["--admin", "http://127.0.0.1:9901"]) }
        #expect(throws: Never.self) { try Gatehouse.parseAsRoot(request + ["--config", "tenants.yaml"]) }
    }
}
