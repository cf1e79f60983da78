/// What a decision went by, step by step, for people. The decision itself takes the notes, so that what is told is what
/// was done.
final class Explanation {
    /// The parts of a decision, in their order.
    enum Step: String {
        case accept, route, preflight, limit, token, csrf, verify, proof, revocation, authorize, observe
        case endpoint
        /// What it came to.
        case decision
    }

    struct Entry: Equatable {
        var step: Step
        /// Never a token, a cookie's value or a secret.
        var text: String
        /// In tenants.yaml; nil where no line of it says so.
        var line: Int?
    }

    /// Whether there is no running gateway at hand: nobody knows revocations, nor keys that are in its store.
    let isOffline: Bool
    /// The tenant that is asked about.
    let tenant: String?
    private(set) var entries: [Entry] = []

    init(tenant: String? = nil, isOffline: Bool = false) {
        self.tenant = tenant
        self.isOffline = isOffline
    }

    /// A step that is taken again after a slow one is told once.
    func note(_ step: Step, _ text: String, line: Int? = nil) {
        let entry = Entry(step: step, text: text, line: line == 0 ? nil : line)
        if !entries.contains(entry) { entries.append(entry) }
    }
}
