import ArgumentParser
import CommandSupport
import Logging
import Verification

@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-demo",
        abstract: "Serves five sample apps behind the gateway and prints curl lines to try it with.",
        discussion: """
            Runs on the example configuration with secrets and keys made up at the start, beside a local stand-in for \
            Apple and Google; needs no network and leaves nothing behind. SIGTERM or Ctrl-C ends it.
            """
    )

    @Option(help: "The gateway's port, instead of the example's 8080.")
    var port: Int?

    @Flag(help: "Take any free ports, for those of the backends and the admin listener too.")
    var freePorts = false

    @Flag(name: .customLong("print-json"), help: "Print the curl lines as one line of JSON, for programs.")
    var printJSON = false

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port: a port is between 1 and 65535") }
    }

    func run() async throws {
        let signals = await TerminationSignals()
        _ = FileDescriptorLimit.raise()
        var logger = Logger(label: "gatehouse", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        let environment = try await DemoEnvironment.start(port: port, freePorts: freePorts, logger: logger)
        do {
            let guide = try await environment.guide()
            Terminal.print(printJSON ? JSONWriter.text(of: guide.json) : guide.text)
            environment.log.open()
            await signals.first()
        } catch {
            await environment.shutdown()
            throw error
        }
        await environment.shutdown()
    }
}
