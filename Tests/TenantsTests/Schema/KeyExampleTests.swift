import Testing

@testable import Tenants

/// Each key's example in the reference, read in its place.
struct KeyExampleTests {
    @Test(arguments: DocumentedKey.all) func everyExampleIsAcceptedInItsPlace(_ key: DocumentedKey) throws {
        let file = try #require(key.file)
        let files = try #require(PretendFiles.documented)
        let mistakes = Sample.read(file, environment: DocumentedKey.environment, files: files).errors
        #expect(mistakes.isEmpty, "\(file)")
    }

    @Test(arguments: DocumentedKey.all) func everyKeyHasAnExampleOtherThanItsDefault(_ key: DocumentedKey) {
        #expect(!key.schema.example.isEmpty)
        #expect(key.schema.example != key.schema.default)
        #expect(JSONSchema.value(of: key.schema.example, key.schema.type) != nil)
    }

    @Test func wrongExampleIsNoticed() throws {
        var key = try #require(DocumentedKey.all.first { $0.path == "gateway.limits.idle_timeout" })
        key.schema.declaredExample = "2 minutes"
        let mistakes = Sample.read(try #require(key.file)).errors
        #expect(mistakes.map(\.message).filter { $0.hasPrefix("\"idle_timeout\" must be a duration") }.count == 1)
    }

    @Test func everyKeyWithCompanionsIsInTheSchema() {
        let paths = Set(DocumentedKey.all.map(\.path))
        #expect(DocumentedKey.companions.keys.filter { !paths.contains($0) } == [])
    }
}
