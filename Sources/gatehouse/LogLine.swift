import FoundationEssentials
import Logging
import Tenants
import Time
import Verification

/// A message as written: always one line.
struct LogLine {
    var time: UnixTime
    var level: Logger.Level
    var label: String
    var message: String
    var error: String?
    /// In the order of writing.
    var metadata: [(key: String, value: Logger.Metadata.Value)]

    func written(as format: LogSettings.Format) -> String {
        switch format {
        case .json: json
        case .text: text
        }
    }

    /// `time level logger message`, then the metadata.
    var json: String {
        var line: JSONObject = [
            "time": .string(timestamp),
            "level": .string(level.rawValue),
            "logger": .string(label),
            "message": .string(message),
        ]
        line["error"] = error.map { .string($0) }
        for (name, value) in metadata {
            // Metadata keeps its name unless that would hide another member.
            line[line[name] == nil ? name : "metadata_\(name)"] = Self.json(value)
        }
        return Self.escapingUnseen(JSONWriter.text(of: .object(line)))
    }

    /// `2026-03-01T12:00:00.123Z warning gatehouse.keys: message name=value other="two words"`.
    var text: String {
        var line = "\(timestamp) \(level.rawValue) \(label): "
        Self.escape(message, to: &line)
        if let error { line += " error=" + Self.token(error) }
        for (name, value) in metadata { line += " \(Self.token(name))=\(Self.token("\(value)"))" }
        return line
    }

    /// Escapes characters that JSON allows in a string, but that a line reader or a terminal would interpret.
    private static func escapingUnseen(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7f }) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard isUnseen(scalar) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return escaped
    }

    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
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

    /// Quoted if its end would be ambiguous.
    private static func token(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        var token = ""
        guard !isPlain || text.isEmpty else {
            escape(text, to: &token)
            return token
        }
        escape(text, to: &token, quote: true)
        return "\"\(token)\""
    }

    /// Control characters and line ends are written as their code points.
    private static func escape(_ text: String, to line: inout String, quote: Bool = false) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\\": line += "\\\\"
            case "\"" where quote: line += "\\\""
            case _ where isUnseen(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    /// RFC 3339 in UTC with milliseconds.
    private var timestamp: String {
        Date(timeIntervalSince1970: time.seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
