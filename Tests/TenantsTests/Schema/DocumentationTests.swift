import Foundation
import Testing

@testable import Tenants

/// docs/configuration.md describes every key, and every YAML in the documents is valid.
struct DocumentationTests {
    @Test func documentedReferenceIsTheSchemas() throws {
        let text = try Repository.text("docs/configuration.md")
        let parts = text.components(separatedBy: ConfigurationReferenceMark.text + "\n\n")
        try #require(parts.count == 2, "docs/configuration.md has lost the line from which on it is generated")
        let isCurrent = parts[1] == ConfigurationReference.markdown()
        #expect(isCurrent, "docs/configuration.md is stale: run make reference")
    }

    @Test func everyKeyIsDocumented() {
        let reference = ConfigurationReference.markdown()
        let headings = reference.split(separator: "\n").filter { $0.hasPrefix("### ") }
        #expect(Set(headings).count == headings.count)
        #expect(headings.contains("### `tenants.NAME.backend.servers[]`"))
        let weight = "| `weight` | 1 to 1000 | `1` | Its share of the requests, beside the others'.<br>Example: `3` |"
        #expect(reference.contains(weight))
    }

    @Test func everyYAMLBlockOfTheDocumentsIsValid() throws {
        let blocks = try DocumentBlock.all()
        let files = try #require(PretendFiles.documented)
        for block in blocks {
            let result = Sample.read(block.file, environment: block.environment, files: files)
            let mistakes = result.errors.map(\.description)
            #expect(mistakes.isEmpty, "\(block.document), line \(block.line)")
        }
        #expect(blocks.count >= 40)
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
        check(.object(Schema.root.object))
    }
}
