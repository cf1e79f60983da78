import ArgumentParser
import ConfigurationText
import Tenants

/// What is wrong with a command line that the parser does not take, in plain words: the parser itself knows neither what
/// other gateways call things nor where a setting is.
enum UsageHint {
    /// Commands of other programs that do what one of ours does.
    private static let sameAs = [
        "serve": "run", "server": "run", "start": "run", "up": "run", "validate": "check", "lint": "check",
        "test": "check", "verify": "check", "config": "check", "status": "health", "ready": "health", "why": "explain",
    ]

    /// Options of other programs, by the key of tenants.yaml that says it here.
    private static let settings = [
        "--port": "gateway.listen", "-p": "gateway.listen", "--listen": "gateway.listen", "--address": "gateway.listen",
        "--host": "gateway.listen", "--bind": "gateway.listen", "--tls": "gateway.listen", "--admin": "gateway.admin",
        "--store": "gateway.store", "--threads": "gateway.threads", "--workers": "gateway.threads",
        "--log": "gateway.log", "--log-level": "gateway.log", "--verbose": "gateway.log", "-v": "gateway.log",
    ]

    /// - Parameters:
    ///   - arguments: Those that were refused, without the program's name.
    ///   - root: The program.
    /// - Returns: Nil if the parser's own message is as good.
    static func text(for arguments: [String], of root: any ParsableCommand.Type) -> String? {
        guard let first = arguments.first else { return nil }
        let commands = root.configuration.subcommands
        let names = commands.map { $0._commandName }
        guard !first.hasPrefix("-") else {
            guard let command = arguments.first(where: names.contains) else { return nil }
            return "options come after the command: gatehouse \(command) \(name(of: first)) …"
        }
        guard let command = commands.first(where: { $0._commandName == first }) else { return unknown(first, names) }
        let rest = arguments.dropFirst()
        let subcommands = command.configuration.subcommands.map { $0._commandName }
        if let second = rest.first, !subcommands.isEmpty, !second.hasPrefix("-"), !subcommands.contains(second) {
            return unknown(second, subcommands, after: "\(first) ")
        }
        return rest.lazy.filter { $0.hasPrefix("-") }.compactMap { option(name(of: $0), of: first) }.first
    }

    private static func option(_ option: String, of command: String) -> String? {
        switch (command, option) {
        case ("run", let option):
            settings[option].map { "run has no \(option): that is \($0) in tenants.yaml" }
        case ("check", "--strict"):
            "check has no --strict: a mistake always fails it, and a warning never does"
        default: nil
        }
    }

    private static func unknown(_ name: String, _ known: [String], after group: String = "") -> String {
        let shown = RevocationLine.printable(String(name.prefix(40)))
        if group.isEmpty, let same = sameAs[name] { return "there is no command \(shown): write gatehouse \(same)" }
        if let nearest = EditDistance.nearest(to: name, among: known) {
            return "there is no command \(group)\(shown): did you mean \(group)\(nearest)?"
        }
        return "there is no command \(group)\(shown); there are \(known.joined(separator: ", "))"
    }

    /// Without the value, which may be a secret.
    private static func name(of option: String) -> String {
        RevocationLine.printable(String(option.prefix { $0 != "=" }.prefix(40)))
    }
}
