/// A line of a case or of its base.
struct MistakeLine {
    var text: String
    /// Its number in the file of the case; a base's lines have none.
    var number: Int?

    var indentation: Int { text.prefix { $0 == " " }.count }
    /// A list's items may stand below its key without more indentation.
    var isItem: Bool { text.drop { $0 == " " }.hasPrefix("- ") }
}

/// Lays the lines of a case over those of its base.
///
/// It goes by keys and indentation alone and parses no YAML: what is wrong with the YAML of a case must stay as written.
enum MistakeLayer {
    /// There is no line in the base that is indented like this one.
    struct Misfit: Error {
        var line: MistakeLine
    }

    /// A key with all that is indented below it, or a line that is no key.
    private struct Entry {
        var lines: [MistakeLine]

        var key: Substring { lines[0].text.prefix { $0 != ":" } }
        var below: [MistakeLine] { Array(lines.dropFirst()) }
        var holdsKeys: Bool {
            guard lines[0].text.hasSuffix(":"), let next = below.first else { return false }
            return next.indentation > lines[0].indentation && !next.isItem
        }
    }

    static func lay(_ lines: [MistakeLine], over base: [MistakeLine]) throws(Misfit) -> [MistakeLine] {
        var result = base
        var rest = lines[...]
        while let first = rest.first {
            let end = rest.firstIndex { !$0.text.isEmpty && $0.indentation < first.indentation } ?? rest.endIndex
            result = try layBlock(Array(rest[..<end]), over: result)
            rest = rest[end...]
        }
        return result
    }

    /// No line is indented less than the first.
    private static func layBlock(_ lines: [MistakeLine], over base: [MistakeLine]) throws(Misfit) -> [MistakeLine] {
        let indentation = lines[0].indentation
        guard let start = base.firstIndex(where: { $0.indentation == indentation }) else {
            throw Misfit(line: lines[0])
        }
        let end = base[start...].firstIndex { $0.indentation < indentation } ?? base.endIndex
        var result = entries(base[start..<end])
        // What a case gives twice is there twice.
        var untouched = Set(result.indices)
        for entry in entries(lines[...]) {
            guard let index = untouched.sorted().first(where: { result[$0].key == entry.key }) else {
                result.append(entry)
                continue
            }
            untouched.remove(index)
            if entry.holdsKeys && result[index].holdsKeys {
                result[index] = Entry(lines: [entry.lines[0]] + (try lay(entry.below, over: result[index].below)))
            } else {
                result[index] = entry
            }
        }
        return base[..<start] + result.flatMap(\.lines) + base[end...]
    }

    private static func entries(_ lines: ArraySlice<MistakeLine>) -> [Entry] {
        guard let indentation = lines.first?.indentation else { return [] }
        var entries: [Entry] = []
        for line in lines {
            if !entries.isEmpty, line.text.isEmpty || line.indentation > indentation || line.isItem {
                entries[entries.count - 1].lines.append(line)
            } else {
                entries.append(Entry(lines: [line]))
            }
        }
        return entries
    }
}
