import ArgumentParser
import CommandSupport
import Gateway
import Logging
import ServiceLifecycle
import Tenants
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serves until SIGTERM or SIGINT, then lets requests under way finish.",
        discussion: """
            The access log goes to standard output, all else to standard error. A second signal ends the process at once.

            SIGHUP and changes of its files reload the configuration. If the new one has mistakes, the old one stays in
            force.

            GATEHOUSE_KEY in the environment seals what is secret in the store: 32 random bytes in base64, from "openssl
            rand -base64 32". To change it, give both for a while, the new one first: NEW,OLD.
            """
    )

    @Option(name: [.short, .long], help: ArgumentHelp("The configuration.", valueName: "tenants.yaml"))
    var config: String

    func run() async throws {
        let file = ConfigurationFile(config)
        let result = file.readNow()
        guard let configuration = result.configuration else {
            for diagnostic in result.diagnostics { Terminal.printError(diagnostic.description) }
            throw CommandFailure("\(config) cannot be used; nothing was started")
        }
        let output = LogOutput(configuration.gateway.log)
        let logger = output.logger
        for warning in result.warnings.prefix(ListedLines.most) {
            let location = "\(warning.file):\(warning.line):\(warning.column)"
            logger.warning("\(warning.message)", metadata: ["at": "\(location)"])
        }
        let more = result.warnings.count - ListedLines.most
        if more > 0 {
            logger.warning("there are more warnings: \"gatehouse check\" lists all", metadata: ["count": "\(more)"])
        }
        if let limit = FileDescriptorLimit.raise() {
            logger.debug(
                "raised the limit of open files",
                metadata: ["before": "\(limit.before)", "now": "\(limit.now)"]
            )
        }
        let manager = ServiceManager()
        do {
            let gateway = Gateway(
                configuration: configuration,
                logger: logger,
                observe: { event in
                    manager.notify(ServiceManager.Notice(event))
                    Self.releasePages(after: event)
                },
                sealingKeys: ConfigurationReader.sealingKeys,
                reading: file.reload
            )
            try await Self.serve(gateway, file, manager, logger: logger)
        } catch {
            // Log lines come before the message about them.
            await output.flush()
            throw CommandFailure(gateway: configuration.gateway, error)
        }
        await output.flush()
    }

    /// Starting and reloading run a good deal of code that requests do not.
    private static func releasePages(after event: GatewayEvent) {
        // A debugger would lose its breakpoints.
        #if !DEBUG
            switch event {
            case .started, .reloaded: ProgramPages.release()
            case .reloading, .stopping: break
            }
        #endif
    }

    private static func serve(
        _ gateway: Gateway,
        _ file: ConfigurationFile,
        _ manager: ServiceManager,
        logger: Logger
    ) async throws {
        let signals = await TerminationSignals()
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let services = ServiceGroup(services: [gateway], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await signals.first()
                await services.triggerGracefulShutdown()
            }
            tasks.addTask {
                for await _ in hangUps { _ = await gateway.reload(because: .signal) }
            }
            tasks.addTask {
                await ConfigurationWatch(read: { file.stamps }) {
                    await gateway.reload(because: .fileChange)
                }
                .run()
            }
            tasks.addTask { await manager.watch(gateway) }
            defer { tasks.cancelAll() }
            try await services.run()
        }
    }
}
