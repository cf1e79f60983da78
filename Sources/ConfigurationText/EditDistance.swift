/// The edit distance of two names, for "did you mean".
package enum EditDistance {
    /// The nearest of `candidates`, if it is near enough to be what was meant: a third of the name's length may differ.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let limit = max(1, name.count / 3)
        let ranked = candidates.map { ($0, between(name.lowercased(), $0)) }.filter { $0.1 <= limit }
        return ranked.min { $0.1 < $1.1 }?.0
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment).
    package static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = min(last[column + 1], current[column]) + 1
                best = min(best, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
