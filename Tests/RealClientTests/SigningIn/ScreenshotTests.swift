import Foundation
import Testing

extension RealClients {
    /// The pictures of the pages in the documents.
    @Suite struct ScreenshotTests {
        private static let documents = URL(fileURLWithPath: Program.script("screenshots"))
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs")

        /// A PNG of the documents or of the gateway.
        private struct Picture: Equatable {
            var name: String
            /// The part of its header with width and height (PNG, section 11.2.1).
            var size: Data

            init(_ file: URL) throws {
                name = file.lastPathComponent
                let bytes = try Data(contentsOf: file)
                size = bytes.dropFirst(16).prefix(8)
                #expect(bytes.count < 150 << 10, "\(name) is too large to be kept")
            }

            static func all(in folder: URL) throws -> [Picture] {
                try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                    .filter { $0.pathExtension == "png" }.map(Picture.init).sorted { $0.name < $1.name }
            }
        }

        /// Takes pictures, and compares them with those of the documents whose names begin the same.
        private static func take(_ count: Int, _ name: String, _ arguments: [String]) async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pictures-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await TestEnvironment.python().succeed([Program.script("screenshots"), name, folder.path] + arguments)
            let taken = try Picture.all(in: folder)
            #expect(taken.count == count)
            let kept = try Picture.all(in: documents.appendingPathComponent("images"))
            #expect(taken == kept.filter { $0.name.hasPrefix(name) })
        }

        @Test func signInScreenshotsAreCurrent() async throws {
            try await withSignInFixture { fixture async throws in
                try await Self.take(4, "sign-in", [fixture.authorize()])
            }
        }

        @Test func dashboardScreenshotsAreCurrent() async throws {
            try await withDashboardFixture { fixture async throws in
                try await Self.take(3, "dashboard", fixture.pictured(seconds: 2))
            }
        }

        @Test func everyScreenshotIsUsedInDocuments() throws {
            let pages = try FileManager.default.contentsOfDirectory(at: Self.documents, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "md" }.map { try String(contentsOf: $0, encoding: .utf8) }
            for picture in try Picture.all(in: Self.documents.appendingPathComponent("images")) {
                #expect(pages.contains { $0.contains("](images/\(picture.name))") }, "\(picture.name)")
            }
        }
    }
}
