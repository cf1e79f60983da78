/// The slow steps of one decision: which may still be asked for, which is under way, and what came of them. A value without
/// I/O: its owner performs the steps and reports how each ended.
///
///     took ─► ended: decided again, by what was found; another configuration asks anew
///         └─► hadNoCapacity: decided again, without the step
package struct DecisionSteps {
    private enum UnderWay {
        case nothing
        /// - Parameter generation: Of the configuration that asked for it.
        case step(AllowedSteps, generation: UInt64)
    }

    /// Those that may still be asked for.
    package var allowed: AllowedSteps
    /// Those that would have been taken, had there been capacity for one more.
    package var withoutCapacity: AllowedSteps = []
    /// What came of asking about the token, if that is an opaque one.
    package var introspected: IntrospectionFinding?
    /// What was found of a proof that came with the token.
    package var proof: ProofFinding?
    /// Those that any configuration may ask for: a refresh is made once a request.
    private var possible: AllowedSteps
    private var underWay = UnderWay.nothing

    package init(allowing: AllowedSteps = .all) {
        allowed = allowing
        possible = allowing
    }

    /// Whether nothing has happened, and every step may be asked for.
    package var isUntouched: Bool {
        allowed == .all && withoutCapacity.isEmpty && introspected == nil && proof == nil
    }

    /// The decision waits for a step.
    ///
    /// - Parameter generation: Of the configuration that asked for it.
    package mutating func took(_ step: AllowedSteps, generation: UInt64) {
        guard case .nothing = underWay else { return assertionFailure("a decision waits twice") }
        allowed.subtract(step)
        possible.subtract(step.intersection(.refresh))
        underWay = .step(step, generation: generation)
    }

    /// Too many wait for such a step: the request is decided on without it.
    package mutating func hadNoCapacity() {
        guard case .step(let step, _) = underWay else { return assertionFailure("no step was to be taken") }
        underWay = .nothing
        withoutCapacity.formUnion(step)
    }

    /// The step is done, and what came of it is noted: the request is decided on again.
    ///
    /// - Parameter generation: Of the configuration in force now. Another one than that which asked for the step asks by
    ///   itself. A proof was used up, and counts.
    /// - Returns: Whether a step was under way.
    @discardableResult
    package mutating func ended(generation: UInt64) -> Bool {
        guard case .step(_, let asked) = underWay else { return false }
        underWay = .nothing
        guard asked != generation else { return true }
        allowed = possible
        withoutCapacity = []
        introspected = nil
        return true
    }

    /// The request is decided on from the start, and no refresh is made for it, or none any more.
    package mutating func beginWithoutRefresh() {
        possible.subtract(.refresh)
        allowed = possible
    }
}
