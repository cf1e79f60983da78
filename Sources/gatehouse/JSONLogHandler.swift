import Foundation
import Logging
import Verification

/// Writes one JSON object a line to standard error: `time level logger message`, then the metadata.
struct JSONLogHandler: LogHandler {
    private let label: String
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Double
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .info

    /// - Parameters:
    ///   - write: Takes a whole line with its newline.
    ///   - now: The time in Unix seconds.
    init(
        label: String,
        write: @escaping @Sendable (String) -> Void = { Terminal.write($0, to: 2) },
        now: @escaping @Sendable () -> Double = WallClock.now
    ) {
        self.label = label
        self.write = write
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line: JSONObject = [
            "time": .string(Self.timestamp(now())),
            "level": .string(event.level.rawValue),
            "logger": .string(label),
            "message": .string(event.message.description),
        ]
        line["error"] = event.error.map { .string("\($0)") }
        let all =
            metadata
            .merging(metadataProvider?.get() ?? [:]) { _, new in new }
            .merging(event.metadata ?? [:]) { _, new in new }
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            // Metadata goes by its name unless that would hide what is there already.
            line[line[name] == nil ? name : "metadata_\(name)"] = Self.json(value)
        }
        // One write a line: lines of several threads do not mix.
        write(JSONWriter.text(of: .object(line)) + "\n")
    }

    private static func json(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): return .string(text)
        case .stringConvertible(let value): return .string(value.description)
        case .array(let elements): return .array(elements.map(json))
        case .dictionary(let members):
            var object = JSONObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { object[name] = json(value) }
            return .object(object)
        }
    }

    /// RFC 3339 in UTC with milliseconds.
    private static func timestamp(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
    }
}
