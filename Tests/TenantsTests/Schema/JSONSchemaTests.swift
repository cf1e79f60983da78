import ConfigurationText
import Foundation
import TestSupport
import Testing
import Verification

@testable import Tenants

/// What `gatehouse schema` prints, in the hands of a validator, beside what the reader says of the same texts.
struct JSONSchemaTests {
    /// Mistakes that only the description of the schema shows: bounds of values with a unit, and null for what no template
    /// has.
    private static let inWordsOnly: Set<String> = [
        "zeroTimeout", "durationTooLong", "durationOverflow", "sizeTooSmall", "tooManyReplayBytes",
        "introspectionRememberedForLong", "staleForDays", "proofsOfYesterday", "singleSignOnForTooLong",
        "extendsNull", "keyThatTemplateAndTenantLack", "nullForWhatTheTemplateDoesNotHave",
        "nullInATemplateThatExtendsNone",
    ]

    private struct Text {
        var name: String
        var content: String
        var isGood: Bool
        /// What the reader's own schema alone says: nil where the text is no YAML.
        var fitsSchema: Bool?
    }

    @Test func schemaAgreesWithTheReader() throws {
        let texts = try Self.mistakes() + Self.goodOnes()
        let verdicts = try SchemaValidator.verdicts(on: texts.map(\.content))
        try #require(verdicts.count == texts.count)
        var inWordsOnly: Set<String> = []
        for (text, verdict) in zip(texts, verdicts) {
            switch verdict {
            case .good where text.fitsSchema == false && !text.content.contains("${"): inWordsOnly.insert(text.name)
            case .good: break
            case .refused(let why): #expect(!text.isGood, "\(text.name): \(why)")
            case .unreadable(let why): #expect(!text.isGood, "\(text.name): \(why)")
            }
        }
        #expect(inWordsOnly == Self.inWordsOnly)
    }

    @Test func schemaAgreesWithTheReaderOnMutations() throws {
        var random = SplitMix64(seed: 20_261_122)
        let blocks = try DocumentBlock.all()
        var fitting: [String] = []
        for _ in 0..<600 {
            guard let block = blocks.randomElement(using: &random),
                let text = MutatedText.of(block.file, using: &random)
            else { continue }
            let environment = block.environment.merging(["NAME": "7"]) { $1 }
            if Self.fitsSchema(text, environment: environment) == true { fitting.append(text) }
        }
        #expect(fitting.count > 60)
        for (text, verdict) in zip(fitting, try SchemaValidator.verdicts(on: fitting)) {
            #expect(verdict == .good, "\(text)")
        }
    }

    @Test func everyKeyIsInTheSchema() throws {
        let properties = try #require(JSONSchema.document["properties"]?.object)
        #expect(properties.members.map(\.name) == ["version", "include", "gateway", "templates", "tenants"])
        let tenants = try #require(properties["tenants"]?.object?["additionalProperties"]?.object)
        #expect(tenants["then"] == ["$ref": "#/$defs/template", "required": ["hosts"]])
        let tenant = try #require(tenants["else"]?.object)
        #expect(tenant["title"] == "tenants.NAME")
        #expect(tenant["required"] == ["hosts", "authenticate"])
        let ways: JSONValue = [["required": ["backend"]], ["required": ["backends"]], ["required": ["routes"]]]
        #expect(tenant["anyOf"] == ways)
        #expect(tenant["additionalProperties"] == false)
        let names = tenant["properties"]?.object?.members.map(\.name)
        #expect(names == Schema.tenant.keys.map(\.name))
    }

    @Test func defaultsAndExamplesAreValuesOfTheirKeys() throws {
        var defaults = 0
        func look(_ object: SchemaObject) {
            for key in object.keys {
                if let text = key.default {
                    defaults += 1
                    #expect(JSONSchema.value(of: text, key.type) != nil, "\(key.name): \(text)")
                }
                descend(key.type)
            }
        }
        func descend(_ type: SchemaType) {
            switch type {
            case .object(let object): look(object)
            case .list(let element, _, _), .dictionary(_, let element, _): descend(element)
            case .either(let types): types.forEach(descend)
            default: break
            }
        }
        look(Schema.root.object)
        #expect(defaults > 50)
        #expect(
            JSONSchema.value(of: "[{ address: 127.0.0.1:8080 }]", .list(.object(Schema.listener.object)))
                == [["address": "127.0.0.1:8080"]]
        )
        #expect(JSONSchema.value(of: "0.1", .decimal(0...1)) == .number(try #require(JSONNumber(0.1))))
        #expect(JSONSchema.value(of: "false", .boolean) == false)
        #expect(JSONSchema.value(of: "false", .text(example: "x")) == "false")
    }

    private static func mistakes() throws -> [Text] {
        try MistakesTests.all().map { mistake in
            let result = MistakesTests.read(mistake)
            return Text(
                name: mistake.name,
                content: mistake.text,
                isGood: result.errors.isEmpty,
                fitsSchema: fitsSchema(mistake.text)
            )
        }
    }

    private static func goodOnes() throws -> [Text] {
        var texts = [("tenants.yaml.example", try Repository.text("tenants.yaml.example"))]
        texts += try DocumentBlock.all().map { ("\($0.document), line \($0.line)", $0.file) }
        texts += DocumentedKey.all.compactMap { key in key.file.map { ("the example of \(key.path)", $0) } }
        texts.append(
            (
                "numbers for texts",
                Sample.tenant(more: "realm: 7\nrole: 2027-01-01\nheaders: { request: { set: { A: 1.5 } } }")
            )
        )
        texts.append(("numbers from the environment", Sample.gateway(#"threads: "${THREADS:-4}""#)))
        texts.append(("a size in bytes, in quotes", Sample.gateway(#"limits: { header_bytes: "2048" }"#)))
        return texts.map { Text(name: $0.0, content: $0.1, isGood: true, fitsSchema: true) }
    }

    private static func fitsSchema(
        _ text: String,
        environment: [String: String] = MistakesTests.environment
    ) -> Bool? {
        let findings = Findings(file: "t.yaml")
        let root = YAMLDocument.read(text, environment: environment, into: findings)
        guard let root, !findings.hasErrors else { return nil }
        let check = SchemaCheck(findings: findings)
        check.main(root)
        for template in root[Schema.root.templates]?.entries ?? [] { check.part(template) }
        for tenant in root[Schema.root.tenants]?.entries ?? [] {
            if tenant.value[Schema.tenant.extends] == nil { check.tenant(tenant) } else { check.part(tenant) }
        }
        return !findings.hasErrors
    }
}
