import ArgumentParser
import Gateway
import Logging
import ServiceLifecycle
import Tenants

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serves until SIGTERM or SIGINT, then lets requests under way finish.",
        discussion: """
            The access log goes to standard output, all else to standard error. A second signal ends the process at once.
            """
    )

    @Option(name: [.short, .long], help: ArgumentHelp("The configuration.", valueName: "tenants.yaml"))
    var config: String

    func run() async throws {
        let result = ConfigurationReader.read(config)
        guard let configuration = result.configuration else {
            for diagnostic in result.diagnostics { Terminal.printError(diagnostic.description) }
            throw CommandFailure("\(config) cannot be used; nothing was started")
        }
        let logger = LogOutput.logger(configuration.gateway.log)
        for warning in result.warnings {
            let place = "\(warning.file):\(warning.line):\(warning.column)"
            logger.warning("\(warning.message)", metadata: ["at": "\(place)"])
        }
        if let limit = FileDescriptorLimit.raise() {
            logger.debug(
                "raised the limit of open files",
                metadata: ["before": "\(limit.before)", "now": "\(limit.now)"]
            )
        }
        do {
            try await Self.serve(Gateway(configuration: configuration, logger: logger), logger: logger)
        } catch {
            throw CommandFailure(gateway: configuration.gateway, error)
        }
    }

    private static func serve(_ gateway: Gateway, logger: Logger) async throws {
        let signals = await TerminationSignals()
        let services = ServiceGroup(services: [gateway], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await signals.first()
                await services.triggerGracefulShutdown()
            }
            defer { tasks.cancelAll() }
            try await services.run()
        }
    }
}
