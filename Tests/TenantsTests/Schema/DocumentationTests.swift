import Foundation
import Tenants
import Testing
import Verification

/// docs/configuration.md tells of every key, and every YAML in the documents is right.
struct DocumentationTests {
    private static let documents = [
        "docs/configuration.md", "docs/operations.md", "docs/refresh.md", "docs/signing-in.md", "docs/security.md",
        "README.md", "ARCHITECTURE.md",
    ]

    @Test func theReferenceHasTheSchemasTables() throws {
        let lines = try Repository.text("docs/configuration.md").split(separator: "\n").map(String.init)
        for table in ReferenceTables.tables() {
            let heading = table.path.isEmpty ? "### The root" : "### `\(table.path)`"
            guard let start = lines.firstIndex(of: heading) else {
                Issue.record("docs/configuration.md lacks the heading \(heading)")
                continue
            }
            let rows = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("| `") }
            #expect(rows == table.rows, "\(heading)")
        }
    }

    @Test func theReferenceHasNoOtherTables() throws {
        let headings = try Repository.text("docs/configuration.md").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("### `") }
        #expect(headings == ReferenceTables.tables().filter { !$0.path.isEmpty }.map { "### `\($0.path)`" })
    }

    @Test func everyYAMLBlockOfTheDocumentsIsRight() throws {
        var count = 0
        for document in Self.documents {
            // Not every document has to be there, but the reference has.
            guard let text = try? Repository.text(document) else { continue }
            for block in Self.blocks(text) {
                count += 1
                let result = Sample.read(block.file, environment: Self.environment, files: try Self.files())
                #expect(result.errors.isEmpty, "\(document), line \(block.line)")
            }
        }
        #expect(count >= 8)
    }

    private static let environment = [
        "GATEHOUSE_ADMIN_TOKEN": "token", "JWT_SECRET": String(repeating: "s", count: 64), "REDIS_PASSWORD": "password",
        "CLIENT_SECRET": "secret", "PARTNER_SECRET": String(repeating: "p", count: 32),
    ]

    private static func files() throws -> PretendFiles {
        let keys = [try SigningKey.generate(.p256), try SigningKey.generate(.rsa(bits: 2048))]
        let members = keys.compactMap { $0.publicJWK() }.map(JSONValue.object)
        return PretendFiles([
            "jwt.secret": String(repeating: "s", count: 64),
            "issuer.pem": try #require(keys.last?.publicKeyPEM),
            "jwks.json": JSONWriter.text(of: .object(["keys": .array(members)])),
            "tls/chain.pem": try #require(Certificates.files["shop.pem"]),
            "tls/key.pem": try #require(Certificates.files["shop.key"]),
            "tls/clients.pem": try #require(Certificates.files["address.pem"]),
            "tls/ca.pem": try #require(Certificates.files["address.pem"]),
            "tls/gateway.pem": try #require(Certificates.files["shop.pem"]),
            "tls/gateway-key.pem": try #require(Certificates.files["shop.key"]),
        ])
    }

    private struct Block {
        var line: Int
        var file: String
    }

    /// Fenced blocks: a whole file, or with the word `tenant` or `gateway` after `yaml` a part of that section.
    private static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var fence: (words: [Substring], line: Int)?
        var content = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let open = fence {
                guard line == "```" else {
                    content += line + "\n"
                    continue
                }
                blocks.append(Block(line: open.line, file: wrapped(content, open.words.last ?? "")))
                fence = nil
            } else if line.hasPrefix("```yaml") {
                fence = (line.dropFirst(3).split(separator: " "), index + 1)
                content = ""
            }
        }
        return blocks
    }

    /// A tenant's part comes first, so that what it has is not given twice.
    private static func wrapped(_ content: String, _ kind: Substring) -> String {
        switch kind {
        case "tenant":
            let given = content.split(separator: "\n").filter { $0.first?.isLetter == true }.map {
                $0.prefix { $0 != ":" }
            }
            let rest = [
                "hosts: [shop.test]", "backend: { servers: [http://127.0.0.1:9001] }",
                "authenticate: { issuers: [\(Sample.issuer)] }",
            ].filter { line in !given.contains(line.prefix { $0 != ":" }) }
            let lines = content.split(separator: "\n").map(String.init) + rest
            return "version: 1\ntenants:\n  shop:\n" + lines.map { "    \($0)\n" }.joined()
        case "gateway": return Sample.gateway(content)
        default: return content
        }
    }
}

struct SchemaTests {
    /// Every example of the schema is a value of its type, as the references and messages say.
    @Test func defaultsAreValuesOfTheirType() throws {
        // A file with every section that has only optional keys, printed with its defaults, is read without an error.
        let text = Sample.tenant(
            more: "limits: { body_bytes: 1KiB }\ncsrf: {}\nwebsocket: {}\nheaders: { request: {} }\naccounts: {}"
        )
        let printed = try #require(Sample.read(text).effective?.print())
        let again = Sample.read(printed.replacing("<redacted>", with: Sample.secret))
        #expect(again.errors.isEmpty)
    }

    @Test func namesInOneMapAreDistinctAndMeaningsAreSentences() {
        func check(_ type: SchemaType) {
            switch type {
            case .object(let object):
                #expect(Set(object.keys.map(\.name)).count == object.keys.count)
                for key in object.keys {
                    #expect(key.meaning.hasSuffix(".") || key.meaning.hasSuffix("`."), "\(key.name)")
                    check(key.type)
                }
            case .list(let element, _, _): check(element)
            case .dictionary(_, let element, _): check(element)
            case .either(let types): types.forEach(check)
            default: break
            }
        }
        check(.object(Schema.root))
    }
}
