/// Lines and columns of a text as libyaml counts them: columns in Unicode scalars; NEL, LS and PS end lines
/// too.
struct TextPositions {
    private let text: String
    private let source: DocumentSource

    init(_ text: String, in source: DocumentSource = .main) {
        self.text = text
        self.source = source
    }

    private var start: Position { .start(of: source) }

    /// The nearest position that is inside the text: an error at the end of a file that ends with a line break is
    /// reported in its last line.
    func clamp(_ position: Position) -> Position {
        var last = start
        for line in lines where line.line <= position.line { last = line }
        return last.line < position.line ? last : position
    }

    /// The character that begins at `position`; nil at the end of the text.
    func character(at position: Position) -> Character? {
        var found: Character?
        _ = find { place, scalar in
            if place == position { found = Character(scalar) }
            return place >= position
        }
        return found
    }

    /// The first scalar that YAML 1.1 does not allow in a stream (section 5.1), or the start.
    var firstUnreadable: Position {
        let found = find { _, scalar in
            switch scalar.value {
            case 0x9, 0xa, 0xd, 0x20...0x7e, 0x85, 0xa0...0xd7ff, 0xe000...0xfefe, 0xff00...0xfffd, 0x10000...0x10ffff:
                false
            default: true
            }
        }
        return found ?? start
    }

    /// The start of every line that holds something or ends with a break.
    private var lines: [Position] {
        var starts: [Position] = [start]
        _ = find { position, _ in
            if position.column == 1, position.line > 1 { starts.append(position) }
            return false
        }
        return starts
    }

    private func find(
        _ isWanted: (Position, Unicode.Scalar) -> Bool
    ) -> Position? {
        let scalars = text.unicodeScalars
        var position = start
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            if isWanted(position, scalar) { return position }
            let next = scalars.index(after: index)
            let isFirstOfPair = scalar == "\r" && next < scalars.endIndex && scalars[next] == "\n"
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                if isFirstOfPair {
                    position.column += 1
                } else {
                    position = Position(line: position.line + 1, column: 1, source: source)
                }
            default: position.column += 1
            }
            index = next
        }
        return nil
    }
}
