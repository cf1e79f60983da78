/// A line of a case that says what reading it must say.
enum MistakeExpectation: Equatable {
    /// `#   ^ message`: the column of the line above.
    case caret(column: Int, message: String)
    /// `#! 8:24: message`: the place in the whole document, where no caret can stand.
    case place(String)
    /// `#! nothing`: there is nothing wrong after all.
    case nothing

    /// Nil for all other lines.
    init?(_ line: String) {
        if line == "#! nothing" {
            self = .nothing
        } else if line.prefixMatch(of: #/#! [0-9]+:[0-9]+: ./#) != nil {
            self = .place(String(line.dropFirst(3)))
        } else if let match = line.wholeMatch(of: #/( *# *)\^ (.+)/#) {
            self = .caret(column: match.1.count + 1, message: String(match.2))
        } else {
            return nil
        }
    }
}
