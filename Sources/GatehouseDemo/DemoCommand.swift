import ArgumentParser
import CommandSupport
import Logging
import Verification

@main
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-demo",
        abstract: "Serves five sample apps behind the gateway, with a start page to try everything.",
        discussion: """
            Runs on the example configuration with secrets and keys made up at the start, beside local stand-ins for \
            Apple, Google and a company's own provider; needs no network. SIGTERM or Ctrl-C ends it, and then nothing is left behind.
            """
    )

    @Option(help: "The gateway's port, instead of the example's 8080.")
    var port: Int?

    @Flag(help: "Take any free ports, for those of the backends and the admin listener too.")
    var freePorts = false

    @Option(help: "The file with tokens for shells (default: demo.env, and with --print-json none).")
    var tokensFile: String?

    @Flag(help: "Print many more curl lines, with what each shows.")
    var lines = false

    @Flag(help: "Print the access log.")
    var log = false

    @Flag(name: .customLong("print-json"), help: "Print the curl lines as one line of JSON, for programs.")
    var printJSON = false

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port: a port is between 1 and 65535") }
    }

    func run() async throws {
        let signals = await TerminationSignals()
        _ = FileDescriptorLimit.raise()
        let logger = Logger(label: "gatehouse", factory: ErrorLogHandler.init)
        let file = tokensFile ?? (printJSON ? nil : TokensFile.defaultPath)
        let environment = try await DemoEnvironment.start(
            port: port,
            freePorts: freePorts,
            tokensFile: file.map(TokensFile.init),
            logger: logger
        )
        do {
            try await environment.signIn()
            Terminal.print(try await text(environment))
            if log { environment.log.open() }
            await signals.first()
        } catch {
            await environment.shutdown()
            throw error
        }
        await environment.shutdown()
    }

    private func text(_ environment: DemoEnvironment) async throws -> String {
        if printJSON { return JSONWriter.text(of: try await environment.guide().json) }
        let welcome = environment.welcome.text
        return lines ? try await environment.guide().text + "\n" + welcome : welcome
    }
}
