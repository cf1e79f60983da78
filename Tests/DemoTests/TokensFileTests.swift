import CommandSupport
import Demo
import Foundation
import Testing

@testable import GatehouseDemo

struct TokensFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: TokensFile { TokensFile(path: folder.appendingPathComponent("demo.env").path) }

    private func text() throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }

    @Test func onlyOwnerReadsFileAndItIsReplacedWhole() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try file.write([("A_TOKEN", "one"), ("B_TOKEN", "it's two")])
        try file.write([("A_TOKEN", "three"), ("B_TOKEN", "it's two")])
        #expect(try text() == "\(TokensFile.mark)\nA_TOKEN=three\nB_TOKEN='it'\\''s two'\n")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["demo.env"])
        file.remove()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func fileOfSomebodyElseIsKept() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("PASSWORD=1\n".utf8).write(to: URL(fileURLWithPath: file.path))
        let failure = try #require(throws: CommandFailure.self) { try file.write([]) }
        #expect(failure.description.contains("--tokens-file"))
        file.remove()
        #expect(try text() == "PASSWORD=1\n")
    }

    @Test func linkIsNotFollowed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appendingPathComponent("target").path
        try Data("\(TokensFile.mark)\n".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
        #expect(throws: CommandFailure.self) { try file.write([("A_TOKEN", "secret")]) }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "\(TokensFile.mark)\n")
    }

    @Test func fileHasTokensOfAllSessions() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let tokens = DemoTokens(adminToken: "adm", file: file)
        try await tokens.set(SampleSession(accessToken: "a", refreshToken: "r"), of: .chat)
        try await tokens.setExpired(SampleSession(accessToken: "x"), of: .customer)
        await tokens.setRevoked(.chat)
        #expect(await tokens.state(of: .chat) == .revoked)
        try await tokens.set(SampleSession(accessToken: "b", refreshToken: "s"), of: .chat)
        #expect(await tokens.state(of: .chat) == .valid)
        let lines = try text().split(separator: "\n").dropFirst()
        #expect(
            Array(lines) == [
                "CUSTOMER_EXPIRED_TOKEN=x", "CHAT_TOKEN=b", "CHAT_REFRESH_TOKEN=s", "ADMIN_TOKEN=adm",
            ]
        )
        await tokens.removeFile()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
