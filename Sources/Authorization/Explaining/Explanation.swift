package import ConfigurationText
package import Tenants

/// The reasons for a decision, step by step, for people. The decision itself takes the notes, so they match what was
/// done.
package final class Explanation {
    /// The parts of a decision, in their order.
    package enum Step: String {
        case accept, route, preflight, limit, token, csrf, verify, proof, revocation, authorize, observe
        case endpoint
        /// Who is told of what the request leads to.
        case events
        case appVersion = "app_version"
        /// What is wrong with the servers that would get it.
        case backend
        /// The result.
        case decision
    }

    package struct Entry: Equatable {
        package var step: Step
        /// Never contains a token, a cookie's value or a secret.
        package var text: String
        /// In tenants.yaml; nil if no line is responsible.
        package var line: SourceLine?
    }

    /// Whether there is no running gateway: then revocations, and keys in the store, are unknown.
    package let isOffline: Bool
    /// The expected tenant.
    package let tenant: String?
    /// Its `path_prefix`.
    package let pathPrefix: String?
    /// The webhook that is told of events; nil: none.
    package let events: EventSettings?
    package private(set) var entries: [Entry] = []

    package init(
        tenant: String? = nil,
        pathPrefix: String? = nil,
        isOffline: Bool = false,
        events: EventSettings? = nil
    ) {
        self.tenant = tenant
        self.pathPrefix = pathPrefix
        self.isOffline = isOffline
        self.events = events
    }

    /// A note that is repeated after a slow step is kept once.
    package func note(_ step: Step, _ text: String, line: SourceLine? = nil) {
        let entry = Entry(step: step, text: text, line: line == 0 ? nil : line)
        if !entries.contains(entry) { entries.append(entry) }
    }
}
