import CommandSupport
import FoundationEssentials
import Migration
import Tenants

/// Reads what is to be written as `gatehouse run` would.
struct InitCheck {
    let text: String
    /// Variables that the file refers to and that are not set here.
    let unsetVariables: [String]
    private let result: ReadResult
    private let unreadable: [String]

    init(draft: Draft, path: String) {
        text = DraftWriter.text(of: draft)
        let environment = ProcessInfo.processInfo.environment
        let names = Self.variables(in: text)
        unsetVariables = names.filter { environment[$0, default: ""].isEmpty }
        var filled = environment
        for name in unsetVariables { filled[name] = Self.placeholder(name) }
        let files = DraftFiles(draft.files)
        result = TenantsFile.read(
            text: Array(text.utf8),
            path: path,
            environment: filled,
            files: files,
            now: WallClock.now()
        )
        unreadable = files.unreadable
    }

    var warnings: [String] { result.warnings.map(\.description) }

    /// - Returns: Whether the file can be used as soon as its variables are set. Otherwise files that it names are
    ///   missing, which was told.
    /// - Throws: ``CommandFailure`` if it cannot be used at all.
    func reportMistakes() throws(CommandFailure) -> Bool {
        guard result.configuration == nil else { return true }
        for mistake in result.errors { Terminal.printError(mistake.description) }
        guard unreadable.isEmpty else { return false }
        throw CommandFailure("the result would have mistakes, at the lines above: nothing is written")
    }

    /// Something that may stand for a value: a store's address, or a secret that is long enough.
    private static func placeholder(_ name: String) -> String {
        name == "GATEHOUSE_STORE" ? "redis://127.0.0.1:6379/0" : String(repeating: "x", count: 64)
    }

    private static func variables(in text: String) -> [String] {
        var names: [String] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            let isEscaped = rest[start...].hasPrefix("$${")
            rest = rest[start...].dropFirst(isEscaped ? 3 : 1)
            guard !isEscaped, rest.first == "{" else { continue }
            let name = String(rest.dropFirst().prefix { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) })
            if !name.isEmpty, !names.contains(name) { names.append(name) }
        }
        return names
    }

    // MARK: Options

    /// What is wrong with the options that are given, by the option's name.
    static func problems(in answers: InitAnswers) -> [(option: String, problem: String)] {
        ["issuer", "audience", "host", "backend", "tenant"].compactMap { option in
            problem(option, in: answers).map { (option, $0) }
        }
    }

    /// What is wrong with one of the answers, as the reader says it.
    static func problem(_ option: String, in answers: InitAnswers) -> String? {
        var only = InitAnswers()
        only.provider = .oidc
        only.issuer = "https://id.example.com"
        only.audiences = ["app"]
        switch option {
        case "issuer":
            only.issuer = answers.issuer ?? only.issuer
            if let provider = answers.provider, provider.issuerExample != nil { only.provider = provider }
        case "audience": only.audiences = answers.audiences.isEmpty ? only.audiences : answers.audiences
        default: break
        }
        guard let issuer = only.trustedIssuer else { return "it is empty" }
        let draft = FirstDraft.make(
            tenant: option == "tenant" ? answers.tenant ?? "app" : "app",
            hosts: option == "host" && !answers.hosts.isEmpty ? answers.hosts : ["app.example.com"],
            backends: option == "backend" && !answers.backends.isEmpty ? answers.backends : ["http://127.0.0.1:1"],
            issuer: issuer
        )
        let text = Array(DraftWriter.text(of: draft).utf8)
        return TenantsFile.read(text: text, path: "", environment: [:], files: DraftFiles([])).errors.first?.message
    }
}
