import Testing

@testable import ConfigurationText

struct ConfigurationDocumentTests {
    private static let file = SourceText(source: .main, kind: .main, text: "version: 1")

    private static func document(_ tenants: [(String, String)], file: SourceText = file) -> ConfigurationDocument {
        let texts = tenants.map { name, text in
            SourceText(source: DocumentSource(named: "store:\(name)"), kind: .tenant(name: name), text: text)
        }
        return ConfigurationDocument(texts: [file] + texts, environment: [:])
    }

    private static func texts(_ document: ConfigurationDocument) -> [String] { document.texts.map(\.text) }

    @Test func differencesAreTheTenantsThatDiffer() {
        let old = Self.document([("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("e", "1")])
        let new = Self.document([("a", "1"), ("b", "2"), ("c", "1"), ("d", "3"), ("e", "1")])
        let differences = ConfigurationDocument.differences(old, new)
        #expect(Self.texts(differences.old) == ["version: 1", "1", "1"])
        #expect(Self.texts(differences.new) == ["version: 1", "2", "3"])
    }

    @Test func tenantsThatCameOrWentDiffer() {
        let old = Self.document([("a", "1"), ("c", "2")])
        let new = Self.document([("b", "3"), ("c", "2")])
        let differences = ConfigurationDocument.differences(old, new)
        #expect(Self.texts(differences.old) == ["version: 1", "1"])
        #expect(Self.texts(differences.new) == ["version: 1", "3"])
    }

    @Test func sameDocumentsHaveTheirFilesAlone() {
        let document = Self.document([("a", "1"), ("b", "1")])
        let differences = ConfigurationDocument.differences(document, document)
        #expect(differences.old == differences.new && Self.texts(differences.old) == ["version: 1"])
    }

    @Test func everythingMayDifferBesideAnotherFile() {
        let old = Self.document([("a", "1")])
        let other = SourceText(source: .main, kind: .main, text: "version: 1 # other")
        let new = Self.document([("a", "1")], file: other)
        let differences = ConfigurationDocument.differences(old, new)
        #expect(differences.old == old && differences.new == new)
    }
}
