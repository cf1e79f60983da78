import CYAML

/// Where the scalars of a YAML text are, so that one can be replaced and all else, comments among it, stays.
package struct ScalarRanges {
    /// In Unicode scalars of the text, by where a scalar begins.
    private var ranges: [Position: Range<Int>] = [:]
    /// The places of scalars with a `${` that is read as a variable.
    package private(set) var references: [Position] = []

    /// Nil if the text is nothing that ``YAMLParser`` reads. That includes lists and maps nested deeper than it reads:
    /// libyaml looks at all that are open for each token.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard YAMLDirectives.firstTooMany(in: bytes) == nil else { return nil }
        let isRead = bytes.withUnsafeBufferPointer { input -> Bool in
            guard let start = input.baseAddress else { return true }
            var parser = yaml_parser_t()
            guard yaml_parser_initialize(&parser) == 1 else { return false }
            defer { yaml_parser_delete(&parser) }
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(&parser, start, input.count)
            var level = 0
            while true {
                var event = yaml_event_t()
                guard yaml_parser_parse(&parser, &event) == 1 else { return false }
                defer { yaml_event_delete(&event) }
                level += Self.step(event.type)
                guard level <= YAMLParser.mostLevels else { return false }
                if event.type == YAML_SCALAR_EVENT {
                    let mark = event.start_mark
                    let position = Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
                    let scalar = event.data.scalar
                    let value = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
                    if Self.hasReference(String(decoding: value, as: UTF8.self)) { references.append(position) }
                    ranges[position] = Int(mark.index)..<max(Int(mark.index), Int(event.end_mark.index))
                }
                if event.type == YAML_STREAM_END_EVENT { return true }
            }
        }
        guard isRead else { return nil }
    }

    private static func step(_ event: yaml_event_type_t) -> Int {
        switch event {
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: 1
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: -1
        default: 0
        }
    }

    /// Writes each of the values in double quotes in the place of the scalar that begins there.
    ///
    /// - Parameter values: By the places of the scalars.
    package func replacing(in text: String, with values: [Position: String]) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var end = 0
        let edits = values.compactMap { position, value in
            ranges[Position(line: position.line, column: position.column)].map { ($0, value) }
        }
        for (range, value) in edits.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) where range.lowerBound >= end {
            let upper = min(range.upperBound, scalars.count)
            result.append(contentsOf: scalars[end..<range.lowerBound])
            result.append(contentsOf: Self.quoted(value).unicodeScalars)
            // A block ends with its line.
            if upper > range.lowerBound, scalars[upper - 1] == "\n" { result.append("\n") }
            end = upper
        }
        result.append(contentsOf: scalars[end...])
        return String(result)
    }

    private static func hasReference(_ value: String) -> Bool {
        value.contains("${") && value.replacing("$${", with: "").contains("${")
    }

    /// In double quotes, read as itself: without a variable, on one line.
    package static func quoted(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            default:
                let isPrinted =
                    scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
                    && ![0x2028, 0x2029, 0xfeff].contains(scalar.value)
                if isPrinted {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                }
            }
        }
        return "\"\(result.replacing("${", with: "$${"))\""
    }
}
