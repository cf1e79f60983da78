import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes signing keys.",
        subcommands: [KeysGenerateCommand.self]
    )
}
