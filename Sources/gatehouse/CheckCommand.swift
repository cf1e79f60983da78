import ArgumentParser
import Tenants

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates tenants.yaml offline: every mistake with its place, all at once.",
        discussion: "Mistakes and warnings go to standard error. Exit status 1 if there is a mistake."
    )

    @Argument(help: ArgumentHelp("The configuration.", valueName: "tenants.yaml"))
    var file: String

    @Flag(help: "Print the effective configuration, secrets redacted.")
    var print = false

    func run() async throws {
        let result = ConfigurationReader.read(file)
        for diagnostic in result.diagnostics { Terminal.printError(diagnostic.description) }
        guard let configuration = result.configuration, let effective = result.effective else {
            throw CommandFailure("\(file) has \(Self.count(result.errors.count, "mistake"))")
        }
        if print {
            Terminal.write(effective.print(), to: 1)
        } else {
            let tenants = Self.count(configuration.tenants.count, "tenant")
            Terminal.print("\(file): OK, \(tenants), \(Self.count(result.warnings.count, "warning"))")
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
