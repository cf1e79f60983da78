import ConfigurationText
import Foundation
import Testing

@testable import Tenants

/// Files that `include` names.
struct IncludeTests {
    private static func tenant(_ name: String) -> String {
        """
        tenants:
          \(name):
            hosts: [\(name).test]
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { issuers: [\(Sample.issuer)] }

        """
    }

    private static func names(_ include: String, _ paths: [String], path: String = "/etc/g/t.yaml") -> [String]? {
        let files = PretendFiles(
            Dictionary(uniqueKeysWithValues: paths.enumerated().map { ($0.element, tenant("n\($0.offset)")) })
        )
        return Sample.read("version: 1\ninclude: \(include)\n", path: path, files: files)
            .configuration?.tenants.map(\.name)
    }

    @Test func filesAreReadInTheOrderOfTheirNames() {
        #expect(Self.names("[d/*.yaml]", ["/etc/g/d/b.yaml", "/etc/g/d/a.yaml"]) == ["n1", "n0"])
        #expect(Self.names("[d/b.yaml, d/*.yaml]", ["/etc/g/d/b.yaml", "/etc/g/d/a.yaml"]) == ["n0", "n1"])
        #expect(Self.names("[/var/*.yaml]", ["/var/a.yaml", "/etc/g/a.yaml"]) == ["n0"])
        #expect(Self.names("['*.yaml']", ["/etc/g/a.yaml", "/etc/g/t.yaml", "/etc/g/.b.yaml"]) == ["n0"])
        #expect(Self.names("[d/*.yaml]", ["d/a.yaml"], path: "t.yaml") == ["n0"])
    }

    @Test(arguments: [
        ("a.yaml", "*.yaml", true), (".a.yaml", "*.yaml", false), (".a.yaml", ".*.yaml", true),
        ("a.yml", "*.yaml", false),
        ("a.yaml", "?.yaml", true), ("ab.yaml", "?.yaml", false), ("abcabd", "*abd", true), ("aXbXc", "a*b*c", true),
        ("aXbXd", "a*b*c", false), ("", "*", true), ("ä.yaml", "?.yaml", true),
        (String(repeating: "a", count: 200), String(repeating: "a*", count: 60) + "b", false),
    ])
    func starStandsForAnyCharacters(_ name: String, _ pattern: String, _ isMatch: Bool) {
        #expect(FilePattern.matches(name, pattern) == isMatch)
    }

    @Test func filesHaveABoundTogether() {
        var files = PretendFiles()
        let half = Array("# ".utf8) + Array(repeating: UInt8(ascii: "x"), count: IncludedFiles.byteLimit / 2) + [0x0a]
        files.files = [
            "d/a.yaml": Array(Self.tenant("a").utf8) + half, "d/b.yaml": Array(Self.tenant("b").utf8) + half,
        ]
        let errors = Sample.read("version: 1\ninclude: [d/*.yaml]\n", files: files).errors
        #expect(
            errors.map(\.description) == [
                "t.yaml:2:11: \"d/b.yaml\" makes the files longer than 64 MiB together: include less"
            ]
        )
    }

    @Test func changesOfAnyFileAreFound() throws {
        func document(_ mode: String, _ hosts: String) throws -> ConfigurationDocument {
            let files = PretendFiles([
                "d/a.yaml": "templates: { m: { mode: \(mode) } }",
                "d/b.yaml": Self.tenant("b").replacing("b.test", with: hosts) + "    extends: m\n",
            ])
            let result = Sample.read("version: 1\ninclude: [d/*.yaml]\n", files: files)
            return try #require(result.configuration?.document, "\(result.errors)")
        }
        let old = try document("enforce", "b.test")
        #expect(KeyChanges(from: old, to: old).keys == [])
        let changes = KeyChanges(from: old, to: try document("observe", "c.test")).keys
        #expect(Set(changes.map(\.key)) == ["tenants.b.mode", "tenants.b.hosts"])
    }

    /// The two files of docs/templates.md.
    @Test func documentedFilesAreReadTogether() throws {
        let blocks = try Repository.text("docs/templates.md").components(separatedBy: "\n```")
        let main = try #require(blocks.first { $0.hasPrefix("yaml\n") }).dropFirst(5)
        let bank = try #require(blocks.first { $0.hasPrefix("yml\n") }).dropFirst(4)
        let result = Sample.read(
            String(main) + "\n",
            path: "tenants.yaml",
            files: PretendFiles(["tenants.d/bank.yaml": String(bank) + "\n"])
        )
        #expect(result.diagnostics.isEmpty)
        #expect(result.configuration?.tenants.map(\.name) == ["shop", "reports", "bank"])
        let printed = try #require(result.effective).print()
        let text = try Repository.text("docs/templates.md")
        let shown = try #require(text.components(separatedBy: "```text\n").last?.components(separatedBy: "```").first)
        for line in shown.split(separator: "\n") { #expect(printed.contains(line + "\n"), "\(line)") }
    }
}
