import ArgumentParser

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes and rotates signing keys.",
        subcommands: [KeysGenerateCommand.self, KeysRotateCommand.self]
    )
}
