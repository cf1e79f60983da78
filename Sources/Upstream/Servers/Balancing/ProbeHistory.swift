/// Turns probe results into a server's state: only a number of equal results in a row changes it. Servers count as up
/// until probes say otherwise, so that a gateway that has just started serves at once.
struct ProbeHistory: Equatable {
    let healthyAfter: Int
    let unhealthyAfter: Int
    private(set) var isUp = true
    /// Results in a row that contradict the state.
    private var contrary = 0

    /// - Parameters:
    ///   - healthyAfter: Good results in a row that bring a server up.
    ///   - unhealthyAfter: Bad results in a row that take it down.
    init(healthyAfter: Int, unhealthyAfter: Int) {
        self.healthyAfter = healthyAfter
        self.unhealthyAfter = unhealthyAfter
    }

    /// Counts the result of one probe.
    /// - Returns: Whether the server is up, if that has changed.
    mutating func observed(isGood: Bool) -> Bool? {
        guard isGood != isUp else {
            contrary = 0
            return nil
        }
        contrary += 1
        guard contrary >= (isGood ? healthyAfter : unhealthyAfter) else { return nil }
        contrary = 0
        isUp = isGood
        return isUp
    }
}
