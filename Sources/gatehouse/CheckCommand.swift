import ArgumentParser
import CommandSupport
import Gateway
import Tenants

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates tenants.yaml offline: every mistake with its place, all at once.",
        discussion: """
            The tests in tenants.yaml are run too: one that comes out otherwise than it says is a mistake. Mistakes \
            and warnings go to standard error. Exit status 1 if there is a mistake.
            """
    )

    @Argument(help: ArgumentHelp("The configuration.", valueName: "tenants.yaml"))
    var file: String

    @Flag(help: "Print the effective configuration, secrets redacted.")
    var print = false

    func run() async throws {
        let result = ConfigurationReader.read(file)
        var diagnostics = result.diagnostics
        if let configuration = result.configuration {
            var others = SealingKeyRequirement.warnings(
                configuration,
                keys: ConfigurationReader.sealingKeys,
                file: file
            )
            others += try await TenantTestRun.run(configuration, file: file, at: WallClock.now())
            diagnostics = result.diagnostics(with: others)
        }
        for diagnostic in diagnostics { Terminal.printError(diagnostic.description) }
        let mistakes = diagnostics.count { $0.severity == .error }
        guard mistakes == 0, let configuration = result.configuration, let effective = result.effective else {
            throw CommandFailure("\(file) has \(Self.count(mistakes, "mistake"))")
        }
        if print {
            Terminal.write(effective.print(), to: 1)
        } else {
            let tests = configuration.tenants.map(\.tests.count).reduce(0, +)
            var parts = [Self.count(configuration.tenants.count, "tenant")]
            if tests > 0 { parts.append(Self.count(tests, "test")) }
            parts.append(Self.count(diagnostics.count, "warning"))
            Terminal.print("\(file): OK, \(parts.joined(separator: ", "))")
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
