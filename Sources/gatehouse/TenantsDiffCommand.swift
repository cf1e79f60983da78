import ArgumentParser
import CommandSupport
import Verification

struct TenantsDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Prints what a file would change of a tenant.",
        discussion: """
            Lines that only the gateway has begin with "-", those that only the file has with "+". Exit status 0: they \
            are the same; 1: they differ. A secret of the gateway is <secret>, and so differs from one that is written \
            out.

              gatehouse tenants diff shop shop.yaml
            """
    )

    @OptionGroup
    var tenant: TenantArgument

    @Argument(help: ArgumentHelp("The tenant as YAML; - for standard input.", valueName: "file"))
    var file: String

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let text = String(decoding: try TenantsPutCommand.read(file), as: UTF8.self)
        let present = try await options.client().tenant(tenant.name)?["yaml"]?.string ?? ""
        let lines = LineDifference.lines(from: Self.trimmed(present), to: Self.trimmed(text))
        for line in lines { Terminal.print(line) }
        if !lines.isEmpty { throw ExitCode(1) }
    }

    /// Without the line ends at the end.
    static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last == "\n" { text.removeLast() }
        return String(text)
    }
}
