import Foundation
import Tenants
import TestSupport
import Testing

/// The example of the repository, and mutations of it.
struct ExampleTests {
    static var text: String {
        get throws { try Repository.text("tenants.yaml.example") }
    }

    @Test func exampleReadsWithoutErrorsInAnEmptyEnvironment() throws {
        let result = Sample.read(try Self.text, path: "tenants.yaml.example")
        #expect(result.errors.isEmpty)
        let configuration = try #require(result.configuration)
        #expect(configuration.tenants.map(\.name) == ["customer", "driver", "finance", "chat", "clans"])
        let ports = configuration.tenants.map(\.backends.first?.servers.first?.address.port)
        #expect(ports == [9001, 9001, 9003, 9004, 9005])
        #expect(configuration.gateway.listeners.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.gateway.admin?.token == nil)
        // What only its owner can give, and keys that are not made yet.
        let warnings = result.warnings.map(\.message)
        #expect(
            warnings.filter { $0.hasPrefix("\"private_key_file\" is not there, \"apple.p8\"") }.count
                == 1
        )
        #expect(warnings.filter { $0.hasPrefix("\"client_secret\" is the example's") }.count == 1)
        #expect(warnings.filter { $0.hasPrefix("\"secret\" is the example's") }.count == 3)
        #expect(warnings.filter { $0.hasPrefix("no key in ") }.count == 2)
        #expect(warnings.filter { $0.hasPrefix("aud is not checked") }.count == 1)
        #expect(warnings.count == 8)
    }

    @Test func exampleIsRefusedOnceOthersCanConnect() throws {
        let text = try Self.text.replacing("address: 127.0.0.1:8080", with: "address: 0.0.0.0:8080")
        let errors = Sample.read(text).errors
        #expect(errors.filter { $0.message.contains("\"secret\" is the example's") }.count == 3)
        #expect(errors.filter { $0.message.contains("\"client_secret\" is the example's") }.count == 1)
        #expect(errors.count == 4)
    }

    @Test func mutationNeverCrashesNorReportsOutsideTheFile() throws {
        let original = Array(try Self.text.utf8)
        var random = SplitMix64(seed: 0x6761_7465)
        for round in 0..<400 {
            var text = original
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&text, &random) }
            let result = TenantsFile.read(
                text: text,
                path: "t.yaml",
                environment: [:],
                files: PretendFiles()
            )
            let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
            for diagnostic in result.diagnostics {
                #expect((1...max(1, lines)).contains(diagnostic.line), "round \(round): \(diagnostic)")
                #expect(diagnostic.column >= 1)
                #expect(!diagnostic.message.isEmpty)
            }
            #expect((result.configuration == nil) == !result.errors.isEmpty)
        }
    }

    private static func mutate(_ text: inout [UInt8], _ random: inout SplitMix64) {
        guard !text.isEmpty else { return }
        let index = Int.random(in: text.indices, using: &random)
        let newline = UInt8(ascii: "\n")
        let start = text[..<index].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = text[index...].firstIndex(of: newline).map { $0 + 1 } ?? text.count
        switch Int.random(in: 0..<7, using: &random) {
        case 0: text.remove(at: index)
        case 1: text.insert(text[index], at: index)
        case 2: text[index] = UInt8.random(in: 0x20...0x7e, using: &random)
        case 3: text.removeSubrange(start..<end)
        case 4: text.insert(contentsOf: text[start..<end], at: end)
        case 5:
            text.insert(contentsOf: Array("{[]}:,-&*!|>'\"%@`#$\t\n".utf8).shuffled(using: &random)[..<1], at: index)
        default: text.removeSubrange(index...)
        }
    }
}
