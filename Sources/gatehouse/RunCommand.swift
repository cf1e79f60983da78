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

            GATEHOUSE_KEY in the environment seals what is secret in the store: 32 random bytes in base64, from "openssl
            rand -base64 32". To change it, give both for a while, the new one first: NEW,OLD.
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
            let gateway = Gateway(
                configuration: configuration,
                logger: logger,
                sealingKeys: ConfigurationReader.sealingKeys
            )
            try await Self.serve(gateway, logger: logger)
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
