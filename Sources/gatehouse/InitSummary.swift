import Migration

/// What is told at the end.
enum InitSummary {
    static func text(_ draft: Draft, file: String, variables: [String]) -> String {
        let closed = draft.notes.count { $0.kind == .closed }
        let lost = draft.notes.count { $0.kind == .lost }
        var lines = ["\(file): \(draft.tenants.count) tenant\(draft.tenants.count == 1 ? "" : "s")"]
        if closed > 0 || lost > 0 { lines[0] += ", \(closed + lost) settings not translated" }
        if closed > 0 {
            lines.append(
                "\(closed) of them restricted access: what they are about is closed, by the role "
                    + "\(DraftDecision.closedRole) that nobody has, until you write what is to hold"
            )
        }
        for variable in variables { lines.append("set \(variable) in the environment before you check or run it") }
        if draft.tenants.contains(where: { $0.signIn != nil }) {
            lines.append("set GATEHOUSE_KEY before you run it: openssl rand -base64 32")
        }
        lines.append("next: gatehouse check \(file)")
        return lines.joined(separator: "\n")
    }
}
