import ConfigurationText
import Foundation
import Testing
import Verification

@testable import Tenants

/// Every mistake is reported with its line, its column and a remedy.
struct MistakesTests {
    static let environment = ["EMPTY": "", "CANARY": "canary-7f3a"]
    static let files = PretendFiles(
        Certificates.files.merging([
            "short.secret": "tooshort\n", "empty.secret": "\n", "bad.pem": "canary", "bad.json": "canary",
            "p384.p8": (try? SigningKey.generate(.p384).privateKeyPEM) ?? "",
        ]) { $1 }
    )
    static func read(_ mistake: Mistake) -> ReadResult {
        var files = Self.files
        for (path, text) in mistake.files { files.files[path] = Array(text.utf8) }
        return Sample.read(mistake.text, environment: Self.environment, files: files)
    }

    static func all() throws -> [Mistake] { try MistakeFile.all().flatMap(\.mistakes) }

    @Test(arguments: try all())
    func everyMistakeIsReportedAtItsPositionWithARemedy(mistake: Mistake) {
        let result = Self.read(mistake)
        let location = SourceLocation(
            fileID: "TenantsTests/\(mistake.file)",
            filePath: Repository.root.appendingPathComponent("\(MistakeFile.folder)/\(mistake.file)").path,
            line: mistake.line,
            column: 1
        )
        #expect(
            result.diagnostics.map(\.description) == mistake.diagnostics,
            sourceLocation: location
        )
        let hasErrors = mistake.diagnostics.contains { !$0.contains(": warning: ") }
        #expect((result.configuration == nil) == hasErrors, sourceLocation: location)
        #expect((result.effective == nil) == hasErrors, sourceLocation: location)
    }

    /// A mistake in a base would be one of each case over it.
    @Test func basesHaveNoErrors() throws {
        for file in try MistakeFile.all() {
            for (name, text) in file.bases {
                let result = Sample.read(text, environment: Self.environment, files: Self.files)
                #expect(result.diagnostics.isEmpty, "\(name) in \(file.name)")
            }
        }
    }

    @Test func samplesHaveNoErrors() {
        #expect(Sample.read(Sample.tenant()).diagnostics.isEmpty)
        #expect(Sample.read(Sample.gateway("threads: 2")).diagnostics.isEmpty)
    }

    @Test func namesOfMistakesAreDistinct() throws {
        let mistakes = Dictionary(grouping: try Self.all(), by: \.name)
        for (name, same) in mistakes where same.count > 1 {
            Issue.record("\(name) is there twice: \(same.map(\.testDescription))")
        }
    }

    @Test func missingFileIsAnError() {
        let result = TenantsFile.read(path: "none.yaml", environment: [:], files: PretendFiles())
        #expect(
            result.diagnostics.map(\.description) == ["none.yaml:1:1: cannot read the file: no such file or directory"]
        )
    }

    @Test func invalidUTF8IsReportedWithItsLine() {
        let text = Array("version: 1\n# ".utf8) + [0xff] + Array("\n".utf8)
        let result = TenantsFile.read(text: text, path: "t.yaml", environment: [:], files: PretendFiles())
        #expect(result.diagnostics.map(\.description) == ["t.yaml:2:1: not valid UTF-8: save the file as UTF-8"])
    }

    @Test func fileWithoutFinalNewlineIsRead() {
        #expect(Sample.read(String(Sample.tenant().dropLast())).diagnostics.isEmpty)
    }

    @Test func aliasedMistakeIsReportedOnce() {
        let text =
            Sample.tenant(hosts: "&hosts ['a:1']") + """
                  other:
                    hosts: *hosts
                    backend: { servers: [http://127.0.0.1:9001] }
                    authenticate: { issuers: [\(Sample.issuer)] }

                """
        let result = Sample.read(text)
        #expect(result.diagnostics.map(\.line) == [4])
    }

    @Test func aliasesForBillionsOfValuesAreRefused() {
        var text = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let item = "*a\(level - 1)"
            text += "a\(level): &a\(level) [\(Array(repeating: item, count: 10).joined(separator: ", "))]\n"
        }
        let result = Sample.read(text)
        #expect(result.errors.contains { $0.message == RepetitionBudget.message })
    }

    @Test func pathsAreRelativeToTheFile() {
        let issuers = "[{ issuer: i, audiences: [a], algorithms: [HS256], secret_file: s/jwt }]"
        let text = Sample.tenant(issuers: issuers)
        let files = PretendFiles(["/etc/gatehouse/s/jwt": Sample.secret + "\r\n"])
        #expect(Sample.read(text, path: "/etc/gatehouse/tenants.yaml", files: files).diagnostics.isEmpty)
        #expect(Sample.read(text, path: "tenants.yaml", files: files).errors.count == 1)
    }
}
