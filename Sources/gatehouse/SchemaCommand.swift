import ArgumentParser
import CommandSupport
import Tenants

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of tenants.yaml, for editors.",
        discussion: """
            Draft 2020-12. An editor with a YAML language server takes it by a first line in tenants.yaml: \
            # yaml-language-server: $schema=tenants.schema.json. What several keys mean together, and what is in other \
            files, only "gatehouse check" says.
            """
    )

    @Flag(help: "Print the reference of every key in Markdown instead.")
    var reference = false

    func run() {
        Terminal.write(reference ? ConfigurationReference.markdown() : JSONSchema.text(), to: 1)
    }
}
