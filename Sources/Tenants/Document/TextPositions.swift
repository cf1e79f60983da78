/// Lines and columns of a text as libyaml counts them: columns in Unicode scalars; NEL, LS and PS end lines
/// too.
struct TextPositions {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The nearest place that is inside the text: an error at the end of a file that ends with a line break is told of
    /// its last line.
    func clamp(_ place: Place) -> Place {
        var last = Place.start
        for line in lines where line.line <= place.line { last = line }
        return last.line < place.line ? last : place
    }

    /// The first scalar that YAML 1.1 does not allow in a stream (section 5.1), or the start.
    var firstUnreadable: Place {
        let found = find { _, scalar in
            switch scalar.value {
            case 0x9, 0xa, 0xd, 0x20...0x7e, 0x85, 0xa0...0xd7ff, 0xe000...0xfefe, 0xff00...0xfffd, 0x10000...0x10ffff:
                false
            default: true
            }
        }
        return found ?? .start
    }

    /// The start of every line that holds something or ends with a break.
    private var lines: [Place] {
        var starts: [Place] = [.start]
        _ = find { place, _ in
            if place.column == 1, place.line > 1 { starts.append(place) }
            return false
        }
        return starts
    }

    private func find(
        _ isWanted: (Place, Unicode.Scalar) -> Bool
    ) -> Place? {
        let scalars = text.unicodeScalars
        var place = Place.start
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            if isWanted(place, scalar) { return place }
            let next = scalars.index(after: index)
            let isFirstOfPair = scalar == "\r" && next < scalars.endIndex && scalars[next] == "\n"
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                if isFirstOfPair {
                    place.column += 1
                } else {
                    place = Place(line: place.line + 1, column: 1)
                }
            default: place.column += 1
            }
            index = next
        }
        return nil
    }
}
