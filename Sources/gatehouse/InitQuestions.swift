import CommandSupport
import Migration

/// What `gatehouse init` asks for.
enum InitQuestions {
    /// How often a question is asked that gets no good answer.
    private static let mostAttempts = 3

    /// The options without which nothing can be written; nil if there are none.
    static func missing(_ answers: InitAnswers) -> String? {
        var missing: [String] = []
        if answers.provider == nil, answers.issuer == nil { missing.append("--provider") }
        if answers.issuer == nil, (answers.provider ?? .oidc).issuerExample != nil { missing.append("--issuer") }
        if answers.lacksAudience { missing.append("--audience") }
        if answers.hosts.isEmpty { missing.append("--host") }
        if answers.backends.isEmpty { missing.append("--backend") }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }

    /// Asks for what is missing, on standard error.
    static func ask(_ answers: inout InitAnswers) throws(CommandFailure) {
        if answers.provider == nil, answers.issuer == nil {
            let kinds = ProviderKind.allCases.map(\.rawValue).joined(separator: ", ")
            try ask("Provider (\(kinds))", default: "oidc", &answers) { answers, text in
                answers.provider = ProviderKind(rawValue: text.lowercased())
                return answers.provider == nil ? "one of \(kinds)" : nil
            }
        }
        let provider = answers.provider ?? .oidc
        if answers.issuer == nil, let example = provider.issuerExample {
            try ask("Issuer, the \"iss\" of its tokens, like \(example)", default: nil, &answers) {
                $0.issuer = $1
                return InitCheck.problem("issuer", in: $0)
            }
        }
        if answers.lacksAudience {
            try ask("Audience of its tokens: \(provider.audienceHint)", default: nil, &answers) {
                $0.audiences = [$1]
                return InitCheck.problem("audience", in: $0)
            }
        }
        if answers.hosts.isEmpty {
            try ask("Host of the app", default: "localhost", &answers) {
                $0.hosts = [$1]
                return InitCheck.problem("host", in: $0)
            }
        }
        if answers.backends.isEmpty {
            try ask("Backend, the app's own address", default: "http://127.0.0.1:9001", &answers) {
                $0.backends = [$1]
                return InitCheck.problem("backend", in: $0)
            }
        }
    }

    /// - Parameter take: Puts an answer in, and tells what is wrong with it.
    private static func ask(
        _ question: String,
        default fallback: String?,
        _ answers: inout InitAnswers,
        _ take: (inout InitAnswers, String) -> String?
    ) throws(CommandFailure) {
        for _ in 0..<mostAttempts {
            Terminal.write("\(question)\(fallback.map { " [\($0)]" } ?? ""): ", to: 2)
            guard let line = Terminal.readLine() else {
                Terminal.printError("")
                throw CommandFailure("standard input ended before the answer: nothing is written")
            }
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let text = words.isEmpty ? fallback ?? "" : words.joined(separator: " ")
            guard !text.isEmpty else {
                Terminal.printError("an answer is needed")
                continue
            }
            guard let problem = take(&answers, text) else { return }
            Terminal.printError(problem)
        }
        throw CommandFailure("no answer that can be used: nothing is written")
    }
}
