/// What is wrong with a text that is no YAML, in plain words and with what to do.
///
/// libyaml tells what its grammar expected, which says little of what somebody wrote. What is not among the usual
/// mistakes is told in its words.
enum YAMLProblem {
    /// - Parameters:
    ///   - problem: In libyaml's words.
    ///   - context: What it belongs to, in libyaml's words, with the line where that begins.
    ///   - found: The character at the place of the problem; nil at the end of the text.
    static func message(_ problem: String, _ context: YAMLFailure.Context?, found: Character?) -> String {
        let usual = usual(problem, context?.text ?? "", startedIn: context.map { "in line \($0.line) " } ?? "", found)
        if let usual { return "not valid YAML: \(usual)" }
        let started = context.map { "\($0.text) that starts in line \($0.line), " } ?? ""
        return "not valid YAML: \(started)\(problem): check indentation (spaces only), brackets and quotes"
    }

    private static func usual(
        _ problem: String,
        _ context: String,
        startedIn line: String,
        _ found: Character?
    ) -> String? {
        switch problem {
        case "found character that cannot start any token": return badStart(found)
        case "did not find expected alphabetic or numeric character":
            let mark = context.hasSuffix("alias") ? "*" : "&"
            return "\"\(mark)\" without quotes stands for something named elsewhere: put the text in quotes, like "
                + (mark == "*" ? "\"*.example.com\"" : "\"&\"")
        case "mapping values are not allowed in this context":
            return
                "a colon where none can stand: put a text with \": \" in it in quotes; a key begins a line of its own, "
                + "indented like its neighbours"
        case "could not find expected ':'":
            return
                "what stands \(line)is neither a key nor a value: write it like key: value, indented as the lines around it"
        case "did not find expected key", "did not find expected '-' indicator":
            return "the line is not in line with those above it: indent keys and items of one map or list alike"
        case "block sequence entries are not allowed in this context":
            return "\"-\" begins an item of a list where none can stand: put the list on the lines below its key"
        case "did not find expected ',' or ']'":
            return "the bracket \(line)is not closed: add \"]\", or a missing comma"
        case "did not find expected ',' or '}'": return "the brace \(line)is not closed: add \"}\", or a missing comma"
        case "found unexpected end of stream" where context.contains("quoted scalar"):
            return "the quote \(line)is not closed: add it at the end of the text"
        case "found unknown escape character":
            return "no such escape after \"\\\": put the text in single quotes, which have none, or write \"\\\\\""
        case "but found another document":
            return "the file goes on after \"---\": keep one document, and leave \"---\" out"
        default: return nil
        }
    }

    private static func badStart(_ found: Character?) -> String {
        switch found {
        case "\t": "a tab: indent with spaces"
        case "@", "`", "%": "\"\(found ?? " ")\" cannot begin a text without quotes: put the text in quotes"
        default: "this cannot begin a text without quotes: put the text in quotes"
        }
    }

    /// An alias (`*NAME`) without an anchor (`&NAME`) before it.
    ///
    /// - Parameter isInside: Whether it is inside of what it stands for.
    static func undefinedAlias(_ name: String, isInside: Bool) -> String {
        isInside
            ? "\"*\(name)\" is a part of what it stands for, which has no end: write out what is meant"
            : "nothing above is named \"&\(name)\" for \"*\(name)\": put the text in quotes if it begins with \"*\""
    }
}
