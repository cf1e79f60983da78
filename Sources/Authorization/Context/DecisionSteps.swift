/// The slow steps of one decision: which may still be requested, which is under way, and their results. A value without
/// I/O: its owner performs the steps and reports how each ended.
///
///     took ─► ended: decided again, with the result; a new configuration requests it again
///         └─► hadNoCapacity: decided again, without the step
package struct DecisionSteps {
    private enum StepsInProgress {
        case nothing
        /// - Parameter generation: Of the configuration that requested it.
        case step(AllowedSteps, generation: UInt64)
    }

    /// Those that may still be requested.
    package var allowed: AllowedSteps
    /// Those that were skipped because a limit was reached.
    package var withoutCapacity: AllowedSteps = []
    /// The introspection result, for an opaque token.
    package var introspected: IntrospectionFinding?
    /// The result for a DPoP proof that came with the token.
    package var proof: ProofFinding?
    /// Those that any configuration may request: a refresh is made once per request.
    private var possible: AllowedSteps
    private var underWay = StepsInProgress.nothing

    package init(allowing: AllowedSteps = .all) {
        allowed = allowing
        possible = allowing
    }

    /// Whether nothing has happened, and every step may be requested.
    package var isUntouched: Bool {
        allowed == .all && withoutCapacity.isEmpty && introspected == nil && proof == nil
    }

    /// The decision waits for a step.
    ///
    /// - Parameter generation: Of the configuration that requested it.
    package mutating func took(_ step: AllowedSteps, generation: UInt64) {
        guard case .nothing = underWay else { return assertionFailure("a decision waits twice") }
        allowed.subtract(step)
        possible.subtract(step.intersection(.refresh))
        underWay = .step(step, generation: generation)
    }

    /// Too many requests wait for such a step: decide without it.
    package mutating func hadNoCapacity() {
        guard case .step(let step, _) = underWay else { return assertionFailure("no step was to be taken") }
        underWay = .nothing
        withoutCapacity.formUnion(step)
    }

    /// The step is done and its result noted: decide again.
    ///
    /// - Parameter generation: Of the configuration in force now. If it is not the one that requested the step, it
    ///   requests it itself. A proof was used up, and its result stays.
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

    /// The request has another token, which may need its own steps; a refresh and a proof are of the request.
    mutating func allowForNextToken() {
        allowed.formUnion(possible.intersection([.signature, .keys, .introspection]))
    }

    /// The request is decided on from the start, without a (further) refresh.
    package mutating func beginWithoutRefresh() {
        possible.subtract(.refresh)
        allowed = possible
    }
}
