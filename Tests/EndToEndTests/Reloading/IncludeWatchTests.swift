import Foundation
import Testing

/// The program reloads by itself where files that `include` names come, change and go.
@Suite struct IncludeWatchTests {
    private static let bank = """
        templates:
          mobile:
            backend: { servers: ["http://127.0.0.1:9"] }
            authenticate:
              issuers: [ { issuer: "https://id.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
        tenants:
          bank: { extends: mobile, hosts: [bank.test] }

        """

    @Test func includedFilesAreSeenToComeChangeAndGo() async throws {
        try await withServedProgram(include: ["tenants.d/*.yaml"]) { served in
            _ = try await served.manager.next()
            let folder = URL(filePath: served.file).deletingLastPathComponent().appending(path: "tenants.d")
            let file = folder.appending(path: "bank.yaml")
            func write(_ text: String) throws { try Data(text.utf8).write(to: file, options: .atomic) }

            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(Self.bank)
            try await waitForConfiguration(2, served)
            // Of the template alone.
            try write(Self.bank.replacing("  mobile:", with: "  mobile:\n    mode: observe"))
            try await waitForConfiguration(3, served)
            try FileManager.default.removeItem(at: file)
            try await waitForConfiguration(4, served)
            served.process.terminate()
            #expect(try await served.process.end() == 0)
        }
    }

    private func waitForConfiguration(_ generation: Int, _ served: ServedProgram) async throws {
        // A directory that has come without its file yet is read, and changes nothing.
        while try await served.manager.next() != ["READY=1", "STATUS=Serving configuration \(generation)"] {}
    }
}
