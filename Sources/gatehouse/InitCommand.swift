import ArgumentParser
import CommandSupport
import Migration
import Verification

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first tenants.yaml, or one out of another proxy's configuration.",
        discussion: """
            Asks for provider, audience, host and backend, unless options give them. With --from-… it translates what \
            it can, and says line by line what it could not. What restricted access and has no translation is closed \
            in the result. No secret is written: the environment has them.

              gatehouse init --provider keycloak --issuer https://id.example.com/realms/shop --audience shop-api \
            --host shop.example.com --backend http://127.0.0.1:9001
              gatehouse init --from-nginx /etc/nginx/nginx.conf --provider auth0 --issuer https://shop.auth0.com/ \
            --audience shop-api
            """
    )

    @Option(help: "Who signs the tokens.")
    var provider: ProviderKind?

    @Option(help: ArgumentHelp("The \"iss\" of its tokens.", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("The audience of its tokens; may be given again.", valueName: "text"))
    var audience: [String] = []

    @Option(
        help: ArgumentHelp("What its tokens are signed with, if not as usual; may be given again.", valueName: "alg")
    )
    var algorithm: [SignatureAlgorithm] = []

    @Option(help: ArgumentHelp("The app's host; may be given again.", valueName: "name"))
    var host: [String] = []

    @Option(help: ArgumentHelp("The app's address, like http://127.0.0.1:9001; may be given again.", valueName: "url"))
    var backend: [String] = []

    @Option(help: ArgumentHelp("The tenant's name (default: the host's first label).", valueName: "name"))
    var tenant: String?

    @Option(
        name: .customLong("from-oauth2-proxy"),
        help: ArgumentHelp("A configuration of oauth2-proxy; again for its alpha configuration.", valueName: "file")
    )
    var oauth2Proxy: [String] = []

    @Option(name: .customLong("from-envoy"), help: ArgumentHelp("A static configuration of Envoy.", valueName: "file"))
    var envoy: String?

    @Option(name: .customLong("from-nginx"), help: ArgumentHelp("A configuration of nginx.", valueName: "file"))
    var nginx: String?

    @Option(help: ArgumentHelp("Where it is written; a dash: to standard output.", valueName: "file"))
    var out = "tenants.yaml"

    @Flag(help: "Replace the file if there is one.")
    var force = false

    @Flag(help: "Ask, also if standard input is no terminal: each line of it is an answer.")
    var ask = false

    func validate() throws {
        let sources = [!oauth2Proxy.isEmpty, envoy != nil, nginx != nil].count { $0 }
        guard sources <= 1 else {
            throw ValidationError("give one of --from-oauth2-proxy, --from-envoy and --from-nginx")
        }
        guard sources == 0 || !ask else { throw ValidationError("--ask: nothing is asked with --from-…; give options") }
        if sources == 0, !ask, !Terminal.isTyped, let missing = InitQuestions.missing(answers) {
            throw ValidationError("\(missing) missing: give the options, or --ask with an answer a line")
        }
        for (option, problem) in InitCheck.problems(in: answers) { throw ValidationError("--\(option): \(problem)") }
    }

    func run() async throws {
        let file = InitFile(path: out, force: force)
        try file.checkFree()
        let draft = try makeDraft()
        let check = InitCheck(draft: draft, path: file.shownPath)
        for note in draft.notes { Terminal.printError(note.description) }
        let isComplete = try check.reportMistakes()
        try file.write(check.text, beside: draft.files)
        for warning in check.warnings { Terminal.printError(warning) }
        Terminal.printError(InitSummary.text(draft, file: file.shownPath, variables: check.unsetVariables))
        if !isComplete { throw CommandFailure("\(file.shownPath) names files that cannot be read here: see above") }
    }

    private var answers: InitAnswers {
        var answers = InitAnswers()
        answers.tenant = tenant
        answers.hosts = host
        answers.backends = backend
        answers.provider = provider
        answers.issuer = issuer
        answers.audiences = audience
        answers.algorithms = algorithm.map(\.rawValue)
        return answers
    }

    private func makeDraft() throws -> Draft {
        do {
            if !oauth2Proxy.isEmpty {
                return try OAuth2ProxyTranslation.draft(try oauth2Proxy.map(InitSource.read), answers)
            }
            if let envoy { return try EnvoyTranslation.draft(InitSource.read(envoy), answers) }
            if let nginx {
                let included = InitSource.included(from: nginx)
                return try NginxTranslation.draft(InitSource.read(nginx), answers, included: included)
            }
        } catch let problem as UntranslatableFile {
            throw CommandFailure(problem.description)
        }
        return try firstDraft()
    }

    private func firstDraft() throws -> Draft {
        var answers = answers
        if ask || Terminal.isTyped { try InitQuestions.ask(&answers) }
        guard let issuer = answers.trustedIssuer, let host = answers.hosts.first else {
            throw ValidationError("provider, issuer, audience and host are needed")
        }
        return FirstDraft.make(
            tenant: answers.tenant ?? Draft.tenantName(host: host),
            hosts: answers.hosts,
            backends: answers.backends,
            issuer: issuer
        )
    }
}

extension ProviderKind: ExpressibleByArgument {}
