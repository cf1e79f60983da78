import Foundation
import Tenants
import Testing

struct DiskFilesTests {
    @Test func filesAndDirectoriesAreRead() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("secret\n".utf8).write(to: directory.appendingPathComponent("a"))
        #expect(try DiskFiles().read(directory.path + "/a") == Array("secret\n".utf8))
        #expect(try DiskFiles().list(directory.path) == ["a"])
        #expect(throws: FileReadingError.notFound) { try DiskFiles().read(directory.path + "/b") }
        #expect(throws: FileReadingError.notFound) { try DiskFiles().list(directory.path + "/b") }
        #expect(throws: FileReadingError.unreadable("it cannot be read; is it a file?")) {
            try DiskFiles().read(directory.path)
        }
        #expect(throws: FileReadingError.unreadable("it cannot be read; is it a directory?")) {
            try DiskFiles().list(directory.path + "/a")
        }
    }

    @Test func endlessFileIsRefused() {
        #expect(throws: FileReadingError.tooLarge(limit: 4 << 20)) { try DiskFiles().read("/dev/zero") }
    }
}
