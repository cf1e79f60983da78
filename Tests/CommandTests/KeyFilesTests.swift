import CommandSupport
import Foundation
import Testing

@testable import gatehouse

struct KeyFilesTests {
    @Test func privateKeyIsPrivateAndReplacesNoFile() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try KeyFiles.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/key.pem"
        try KeyFiles.createPrivate(path, content: "first")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: CommandFailure.self) { try KeyFiles.createPrivate(path, content: "second") }
        #expect(try KeyFiles.read(path, option: "--key") == Array("first".utf8))
    }

    @Test func existingDirectoryIsUsedAndAFileIsRefused() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try KeyFiles.makeDirectory(path)
        try KeyFiles.makeDirectory(path)
        try FileManager.default.removeItem(atPath: path)
        try KeyFiles.createPrivate(path, content: "")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: CommandFailure.self) { try KeyFiles.makeDirectory(path) }
    }
}
