import ConfigurationText
import Testing

@testable import Tenants

/// What readers read by is what the schema has: both are the properties of a table.
struct KeyTableTests {
    private struct Shared: KeyTable {
        let path = Key("path", .text(example: "/a"), isRequired: true)
    }

    private struct Table: KeyTable {
        let shared = Shared()
        let wait = Key("wait", .duration(.zero ... .seconds(90)), default: .seconds(60)).means("How long.")
        let bytes = Key("bytes", .size(0...(1 << 20)), default: 32 << 10)
        let modes = Key("modes", .list(.choice(Tenant.Mode.self)), default: [.enforce, .observe])
        let levels = ["low", "high"].map { Key($0, .boolean, default: false) }
    }

    @Test func everyPropertyIsAKeyOfTheSchemaInItsOrder() {
        #expect(Table().keys.map(\.name) == ["path", "wait", "bytes", "modes", "low", "high"])
        #expect(Table().keys.map(\.isRequired) == [true, false, false, false, false, false])
    }

    @Test func defaultIsReadAsWritten() throws {
        let table = Table()
        #expect(table.keys.map(\.default) == [nil, "60s", "32KiB", "[enforce, observe]", "false", "false"])
        #expect(table.wait.read(table.wait.defaultNode) == .seconds(60))
        #expect(table.bytes.read(table.bytes.defaultNode) == 32 << 10)
        #expect(table.modes.read(table.modes.defaultNode) == [.enforce, .observe])
    }

    @Test func malformedValueGivesTheDefault() throws {
        let findings = Findings(file: "")
        let text = "{ path: /b, wait: 2m, modes: [observe, nonsense], bytes: [] }"
        let node = try #require(YAMLDocument.read(text, environment: [:], into: findings))
        let table = Table()
        #expect(node.read(table.shared.path) == "/b")
        #expect(node.read(table.wait) == .seconds(120))
        #expect(node.read(table.modes) == [.observe])
        #expect(node.read(table.bytes) == 32 << 10)
        #expect(node[table.levels[0]] == nil && node.read(table.levels[0]) == false)
    }
}
