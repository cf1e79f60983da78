import Foundation
import Tenants
import TestSupport
import Testing
import Verification

/// Every command and curl line of docs/tenants-by-api.md.
@Suite struct TenantsDocumentTests {
    private static let setup = GatewaySetup(
        gateway: """
            tenants: [files, store]
            admin: { address: "127.0.0.1:0", token: "\(GatewayFixture.adminToken)" }
            """,
        sealingKeys: StoredTenantsTests.sealingKeys
    )

    private static func document() throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/tenants-by-api.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    private static func blocks(_ fence: String, in text: String) -> [String] {
        text.components(separatedBy: "```\(fence)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test func everyDocumentedLineDoesWhatItSays() async throws {
        let text = try Self.document()
        let lines = Self.blocks("sh tenants", in: text).joined(separator: "\n").replacing("\\\n", with: " ")
            .split(separator: "\n").map(String.init)
        let expected = lines.filter { $0.hasPrefix("# ") }.map { line in
            let words = line.split(separator: " ")
            return words[1] == "exit" ? "exit \(words[2])" : String(words[1])
        }
        #expect(expected.count == 17)
        try await withGateway(Self.setup) { fixture async throws in
            let scratch = try Scratch()
            defer { scratch.remove() }
            _ = try scratch.write(try #require(Self.blocks("yaml tenant", in: text).first), to: "shop.yaml")
            let admin = try #require(fixture.adminAddress)
            let script = lines.map { line in
                if line.hasPrefix("curl ") { return line + " -o answer -w '%{http_code}\\n' --disable --noproxy '*'" }
                guard line.hasPrefix("gatehouse ") else { return line }
                let parts = line.split(separator: ">", maxSplits: 1)
                let output = parts.count == 2 ? ">\(parts[1])" : "> answer"
                return "\(parts[0]) --admin http://\(admin) \(output); echo exit $?"
            }
            let said = try await Self.run(
                script.joined(separator: "\n").replacing("127.0.0.1:9901", with: "\(admin)"),
                in: scratch.path
            )
            #expect(said == expected)
        }
    }

    private static func run(_ script: String, in folder: String) async throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let programs = URL(fileURLWithPath: try GatehouseProgram.path()).deletingLastPathComponent().path
        process.environment = [
            "PATH": "\(programs):/usr/bin:/bin", "GATEHOUSE_ADMIN_TOKEN": GatewayFixture.adminToken,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        let ended = Mailbox<Int32>("the end of the script")
        process.terminationHandler = { ended.put($0.terminationStatus) }
        let text = Mailbox<String>("the output of the script")
        Thread.detachNewThread {
            text.put(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
        }
        try process.start()
        _ = try await ended.next(within: .seconds(120))
        return try await text.next(within: .seconds(60)).split(separator: "\n").map(String.init)
    }
}
