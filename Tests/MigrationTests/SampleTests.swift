import Testing

@testable import Migration

struct SampleTests {
    @Test(arguments: MigrationSample.all)
    func sampleBecomesWhatIsExpected(_ sample: MigrationSample) throws {
        let written = DraftWriter.text(of: try sample.draft())
        #expect(written == (try sample.expected(written)))
    }

    /// Certificates are the only thing that is missing where the samples are.
    @Test(arguments: MigrationSample.all)
    func sampleIsAccepted(_ sample: MigrationSample) throws {
        var draft = try sample.draft()
        for index in draft.tenants.indices { draft.tenants[index].certificate = nil }
        for index in draft.listeners.indices { draft.listeners[index].isTLS = false }
        draft.redirectsToHTTPS = nil
        let result = draft.read()
        #expect(result.errors.isEmpty, "\(result.errors)\n\(DraftWriter.text(of: draft))")
    }

    @Test(arguments: MigrationSample.all)
    func noSecretIsWritten(_ sample: MigrationSample) throws {
        let draft = try sample.draft()
        let text = DraftWriter.text(of: draft) + draft.notes.map(\.description).joined()
        #expect(!text.contains("very-secret") && !text.contains("0123456789abcdef"))
    }
}
