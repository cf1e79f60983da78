import Synchronization

/// Counts deletions of accounts, for metrics.
public final class DeletionCounts: Sendable {
    /// What came of an attempt at a step: a closed set, for use as a label.
    public enum Outcome: String, Sendable, CaseIterable {
        case done
        case nothingToDo = "nothing_to_do"
        case failed
    }

    /// Labels of `gatehouse_deletion_steps_total`.
    public struct StepLabels: Sendable, Hashable {
        public var tenant: String
        public var step: Deletion.Step
        public var outcome: Outcome
    }

    /// All counters at one moment.
    public struct Snapshot: Sendable, Equatable {
        /// Those in the store that are not done, as of the last count; at most 1000.
        public var pending = 0
        public var steps: [StepLabels: Int] = [:]

        public init() {}

        /// The same counts with other labels of tenants; counts that then have the same labels are added up.
        public func relabeled(_ label: (String) -> String) -> Snapshot {
            var snapshot = Snapshot()
            snapshot.pending = pending
            for (labels, count) in steps {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.steps[labels, default: 0] += count
            }
            return snapshot
        }
    }

    private let counts = Mutex(Snapshot())

    public init() {}

    public func snapshot() -> Snapshot { counts.withLock { $0 } }

    func count(tenant: String, _ step: Deletion.Step, _ result: Deletion.Result) {
        let outcome: Outcome =
            switch result {
            case .done: .done
            case .nothingToDo: .nothingToDo
            case .failed: .failed
            }
        counts.withLock { $0.steps[StepLabels(tenant: tenant, step: step, outcome: outcome), default: 0] += 1 }
    }

    func setPending(_ count: Int) { counts.withLock { $0.pending = count } }
}
