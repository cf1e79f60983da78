/// What a decision went by, step by step, for people. The decision itself takes the notes, so that what is told is what
/// was done.
package final class Explanation {
    /// The parts of a decision, in their order.
    package enum Step: String {
        case accept, route, preflight, limit, token, csrf, verify, proof, revocation, authorize, observe
        case endpoint
        /// What it came to.
        case decision
    }

    package struct Entry: Equatable {
        package var step: Step
        /// Never a token, a cookie's value or a secret.
        package var text: String
        /// In tenants.yaml; nil where no line of it says so.
        package var line: Int?
    }

    /// Whether there is no running gateway at hand: nobody knows revocations, nor keys that are in its store.
    package let isOffline: Bool
    /// The tenant that is asked about.
    package let tenant: String?
    package private(set) var entries: [Entry] = []

    package init(tenant: String? = nil, isOffline: Bool = false) {
        self.tenant = tenant
        self.isOffline = isOffline
    }

    /// A step that is taken again after a slow one is told once.
    package func note(_ step: Step, _ text: String, line: Int? = nil) {
        let entry = Entry(step: step, text: text, line: line == 0 ? nil : line)
        if !entries.contains(entry) { entries.append(entry) }
    }
}
