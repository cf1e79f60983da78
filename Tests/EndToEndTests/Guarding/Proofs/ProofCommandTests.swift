import Foundation
import TestSupport
import Testing

/// `gatehouse token prove`, and the lines of docs/dpop.md that use it.
@Suite struct ProofCommandTests {
    private static let setup = GatewaySetup(
        tenant: """
            hosts: [localhost]
            authenticate:
              issuers:
                - { issuer: "https://id.example.com", audiences: [shop], algorithms: [HS256], secret: "${TEST_SECRET}" }
            dpop: { need: required }
            """
    )

    /// The lines of the block, and the statuses in its comments.
    private static func block() throws -> (script: String, statuses: [String]) {
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../../../docs/dpop.md"
        )
        let text = try String(contentsOf: document, encoding: .utf8)
        guard let start = text.range(of: "```sh proof\n"),
            let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
        else { throw Malformed("no block") }
        let script = String(text[start.upperBound..<end.lowerBound])
        let statuses = script.split(separator: "\n").filter { $0.hasPrefix("# ") }.map {
            String($0.dropFirst(2).prefix(3))
        }
        return (script, statuses)
    }

    @Test func documentedProofCommandsWork() async throws {
        let (script, statuses) = try Self.block()
        #expect(statuses == ["200", "401", "401"])
        try await withGateway(Self.setup) { fixture async throws in
            let scratch = try Scratch()
            defer { scratch.remove() }
            _ = try scratch.write(TestIssuer.secret, to: "jwt.secret")
            let commands = script.replacing(":8080", with: ":\(fixture.address.port)")
                .replacing("curl ", with: "curl --disable -s --noproxy '*' -o /dev/null -w '%{http_code}\\n' ")
            let program = try GatehouseProgram.path()
            let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-ec", commands]
            process.currentDirectoryURL = URL(fileURLWithPath: scratch.path)
            process.environment = ["PATH": "\(folder):/usr/bin:/bin"]
            let output = Pipe()
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            let ended = Mailbox<Int32>("the end of the script")
            process.terminationHandler = { ended.put($0.terminationStatus) }
            let text = Mailbox<String>("the output of the script")
            Thread.detachNewThread {
                text.put(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
            }
            try process.start()
            #expect(try await ended.next(within: .seconds(60)) == 0)
            let said = try await text.next(within: .seconds(60)).split(separator: "\n").map(String.init)
            #expect(said.suffix(3) == statuses)
        }
    }

    @Test func tokenArgumentMustBeStandardInput() async throws {
        let run = try await GatehouseProgram.run(
            ["token", "prove", "--key", "x", "--url", "http://a.test/", "--token", "secret"]
        )
        #expect(run.exit == 64)
        let nothing = try await GatehouseProgram.run(["token", "prove", "--key", "x"])
        #expect(nothing.exit == 64)
    }
}
