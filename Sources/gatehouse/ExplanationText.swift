import Authorization
import Gateway
import Verification

/// The steps of a decision for the terminal: one per line, in columns; the last one separately.
enum ExplanationText {
    /// - Parameter file: The configuration whose lines the steps name; nil if only the running gateway knows it.
    static func lines(_ steps: [DecisionReport.Step], file: String?) -> String {
        let shown = steps.filter { $0.step != decision }
        let locations = shown.map { step in
            step.line.map { line in (step.file ?? file).map { "\($0):\(line)" } ?? "line \(line)" } ?? ""
        }
        let (nameWidth, locationWidth) = (shown.map(\.step.count).max() ?? 0, locations.map(\.count).max() ?? 0)
        var text = ""
        for (step, location) in zip(shown, locations) {
            let margin = locationWidth == 0 ? "" : padded(location, locationWidth) + "  "
            text += "\(padded(step.step, nameWidth))  \(margin)\(RevocationLine.printable(step.text))\n"
        }
        for step in steps where step.step == decision { text += "\(RevocationLine.printable(step.text))\n" }
        return text
    }

    /// - Returns: nil if it is not a response of `POST /api/explain`.
    static func steps(_ response: JSONObject) -> [DecisionReport.Step]? {
        guard let array = response["steps"]?.array else { return nil }
        var steps: [DecisionReport.Step] = []
        for item in array {
            guard let step = item.object, let name = step["step"]?.string, let text = step["text"]?.string else {
                return nil
            }
            steps.append(
                DecisionReport.Step(
                    step: name,
                    text: text,
                    line: step["line"]?.double.flatMap { Int(exactly: $0) },
                    file: step["file"]?.string
                )
            )
        }
        return steps.last?.step == decision ? steps : nil
    }

    private static let decision = "decision"

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
