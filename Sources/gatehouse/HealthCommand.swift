import ArgumentParser
import CommandSupport

struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Asks a running gateway whether it is ready.",
        discussion: """
            For containers and service managers: exit status 0 means that requests are taken, 1 that they are not, or \
            that nothing answers. Needs no token.
            """
    )

    @Option(
        help: ArgumentHelp("Where the admin listener is (default: \(AdminURL.default)).", valueName: "url"),
        transform: AdminURL.init
    )
    var admin = AdminURL.default

    @OptionGroup
    var adminTLS: AdminTLSOptions

    @Flag(help: "Ask only whether the process is up, as a probe of liveness does.")
    var alive = false

    func run() async throws {
        let (status, body) = try await adminTLS.client(for: admin, token: nil).get(alive ? "/healthz" : "/readyz")
        let said = RevocationLine.printable(body.split(whereSeparator: \.isNewline).joined(separator: "\n"))
        switch status {
        case 200: Terminal.print(said)
        case 503: throw CommandFailure(said)
        default: throw CommandFailure("the answer was \(status); \(admin.isSomethingElse)")
        }
    }
}
