import HTTPCore
import Time

/// A request as the phases of a decision pass it on.
struct DecisionInput {
    let request: RoutedRequest
    let head: RequestHead
    let decisionContext: DecisionContext
    let now: UnixTime
}
