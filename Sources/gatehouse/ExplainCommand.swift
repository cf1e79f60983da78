import ArgumentParser
import CommandSupport
import Gateway
import Tenants
import Verification

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows step by step how the gateway would decide a request, and by which line of tenants.yaml.",
        discussion: """
            Nothing is sent to a backend. Without --admin no gateway has to be running: keys are taken from the \
            configuration or from files, or fetched from their URL. With --admin, the running gateway is also queried \
            for what only it knows: revocations, and keys in its store. The admin token is read from the environment, \
            GATEHOUSE_ADMIN_TOKEN.

            The last line is "forward" or "refuse STATUS CODE"; exit status 0 in both cases, 1 if the decision cannot be determined.

              gatehouse explain --config tenants.yaml --tenant shop --method GET --path /orders
              gatehouse explain --config tenants.yaml --tenant shop --method GET --path /orders --token - < token.txt
            """
    )

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The configuration; not needed with --admin.", valueName: "tenants.yaml")
    )
    var config: String?

    @Option(help: ArgumentHelp("The tenant's name in tenants.yaml.", valueName: "name"))
    var tenant: String

    @Option(help: ArgumentHelp("The request's method, in any case.", valueName: "method"))
    var method: String

    @Option(help: ArgumentHelp("The request's path, with its query.", valueName: "path"))
    var path: String

    @Option(help: ArgumentHelp("A dash: the caller's token is read from standard input.", valueName: "-"))
    var token: String?

    @Option(help: ArgumentHelp("A further header, 'NAME: VALUE'; may be given again.", valueName: "header"))
    var header: [String] = []

    @Option(help: ArgumentHelp("The request's Host (default: the tenant's first).", valueName: "host"))
    var host: String?

    @Option(help: ArgumentHelp("The client's address (default: 127.0.0.1).", valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp("Ask the running gateway whose admin listener is there.", valueName: "url"),
        transform: AdminURL.init
    )
    var admin: AdminURL?

    @OptionGroup
    var adminTLS: AdminTLSOptions

    func validate() throws {
        if let token, token != "-" {
            throw ValidationError(
                "give the token on standard input, with --token -: other users can see command lines"
            )
        }
        guard config != nil || admin != nil else {
            throw ValidationError("--config or --admin: say which configuration, or which running gateway")
        }
        _ = try request(token: nil)
    }

    func run() async throws {
        let token = try token.map { _ in try TokenInput.read() }
        if let admin {
            try await ask(admin, token: token)
        } else if let config {
            try await explainOffline(config, token: token)
        }
    }

    // MARK: Offline

    private func explainOffline(_ config: String, token: String?) async throws {
        let result = ConfigurationReader.read(config)
        guard let configuration = result.configuration else {
            for diagnostic in result.diagnostics { Terminal.printError(diagnostic.description) }
            throw CommandFailure("\(config) cannot be used")
        }
        let request = try request(token: token)
        let gateway = try await OfflineGateway(configuration)
        let report = try await gateway.explain(request, tenant: tenant)
        await gateway.close()
        guard let report else {
            let known = configuration.tenants.map(\.name).joined(separator: ", ")
            throw CommandFailure("\(config) has no such tenant; there are \(known)")
        }
        if report.isUncertain {
            // Its last step would be the decision of a gateway without the running one's state.
            Terminal.write(ExplanationText.lines(Array(report.steps.dropLast()), file: config), to: 1)
            throw CommandFailure("this cannot be decided here; ask the running gateway with --admin URL")
        }
        Terminal.write(ExplanationText.lines(report.steps, file: config), to: 1)
    }

    // MARK: At a running gateway

    private func ask(_ admin: AdminURL, token: String?) async throws {
        let client = try adminTLS.client(for: admin, token: AdminClient.tokenFromEnvironment())
        if admin.isOpenToOthers, client.hasToken || token != nil {
            Terminal.printError("warning: \(admin) is plain http to another machine: the token can be read on the way")
        }
        var body: JSONObject = ["tenant": .string(tenant), "method": .string(sentMethod), "path": .string(path)]
        body["token"] = token.map(JSONValue.string)
        body["host"] = host.map(JSONValue.string)
        body["address"] = address.map(JSONValue.string)
        if !header.isEmpty { body["headers"] = .array(header.map(JSONValue.string)) }
        let response = try await client.send(.post, "/api/explain", body)
        guard let steps = ExplanationText.steps(response) else { throw CommandFailure(admin.isSomethingElse) }
        Terminal.write(ExplanationText.lines(steps, file: config), to: 1)
    }

    /// On a command line nobody means a method in small letters, which no rule is for.
    private var sentMethod: String { method.uppercased() }

    private func request(token: String?) throws -> ExplainedRequest {
        do throws(ExplainedRequest.Mistake) {
            var fields: [(name: String, value: String)] = []
            for text in header { fields.append(try ExplainedRequest.field(text)) }
            return try ExplainedRequest(
                method: sentMethod,
                target: path,
                host: host,
                token: token,
                fields: fields,
                address: address
            )
        } catch {
            if error.part == "token" { throw CommandFailure("standard input \(error.remedy)") }
            throw ValidationError("--\(error.part) \(error.remedy)")
        }
    }
}
