/// The lines that two texts differ in, with those around them.
enum LineDifference {
    /// Lines that are shown before and after a difference.
    private static let context = 3

    private struct Line {
        /// `-`, `+`, or a space for one that both have.
        var mark: Character
        var text: Substring
    }

    /// - Returns: A line each, beginning with `-`, `+` or a space, and `…` where lines are left out; empty if the texts are
    ///   the same.
    static func lines(from old: String, to new: String) -> [String] {
        let lines = merged(
            old.split(separator: "\n", omittingEmptySubsequences: false),
            new.split(separator: "\n", omittingEmptySubsequences: false)
        )
        let near = Set(lines.indices.filter { lines[$0].mark != " " }.flatMap { ($0 - context)...($0 + context) })
        var shown: [String] = []
        var last = -1
        for index in lines.indices where near.contains(index) {
            if index > last + 1 { shown.append("…") }
            shown.append("\(lines[index].mark)\(lines[index].text)")
            last = index
        }
        if !shown.isEmpty, last < lines.count - 1 { shown.append("…") }
        return shown
    }

    private static func merged(_ old: [Substring], _ new: [Substring]) -> [Line] {
        let difference = new.difference(from: old)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (at, to) = (0, 0)
        while at < old.count || to < new.count {
            if removed.contains(at) {
                lines.append(Line(mark: "-", text: old[at]))
                at += 1
            } else if inserted.contains(to) {
                lines.append(Line(mark: "+", text: new[to]))
                to += 1
            } else {
                lines.append(Line(mark: " ", text: old[at]))
                (at, to) = (at + 1, to + 1)
            }
        }
        return lines
    }
}
