import Foundation
import Tenants
import TestSupport
import Verification

/// A validator of JSON Schema that nothing of ours had a hand in: jsonschema, in the Python environment of the tests.
enum SchemaValidator {
    enum Verdict: Equatable {
        case good
        case refused(String)
        /// The text is no YAML, or none that an editor would read.
        case unreadable(String)
    }

    struct Failed: Error {
        var what: String
        var status: Int32
    }

    /// - Throws: Also where the schema itself is none.
    static func verdicts(on texts: [String]) throws -> [Verdict] {
        let schema = try JSONParser.parse(Array(JSONSchema.text().utf8))
        let order: JSONValue = .object(["schema": schema, "texts": .array(texts.map(JSONValue.string))])
        let python = try run("/bin/bash", [Repository.root.appendingPathComponent("scripts/test-environment").path])
        let script = Repository.root.appendingPathComponent("Tests/RealClientTests/Scripts/schema_verdicts.py").path
        let path = String(decoding: python, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let answer = try JSONParser.parse(run(path, [script], input: JSONWriter.bytes(of: order)))
        return (answer.array ?? []).map { verdict in
            switch verdict {
            case .null: .good
            case .object(let object): .unreadable(object["unreadable"]?.string ?? "")
            default: .refused(verdict.string ?? "")
            }
        }
    }

    /// Runs a program to its end and gives its standard output. The input is a file, so that neither end waits for the
    /// other.
    private static func run(_ path: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.start()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(what: path, status: process.terminationStatus) }
        return Array(bytes)
    }
}
