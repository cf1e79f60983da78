/// `--- # name`, `--- # name on base` or `--- # base name on base`; without `on …` it is on the base `tenant`.
struct MistakeHeading {
    /// A document may have a line `---` of its own, so that a case begins with more than that.
    static let mark = "--- #"
    /// The base of whole documents.
    static let nothing = "nothing"

    var name: String
    var base = "tenant"
    var isBase = false

    init?(_ line: String) {
        var words = line.dropFirst(Self.mark.count).split(separator: " ")
        if words.first == "base" {
            isBase = true
            words.removeFirst()
        }
        guard words.count == 1 || (words.count == 3 && words[1] == "on") else { return nil }
        guard words.allSatisfy({ $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }) else { return nil }
        name = String(words[0])
        if words.count == 3 { base = String(words[2]) }
    }
}
