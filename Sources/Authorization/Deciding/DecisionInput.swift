import HTTPCore
import Time

/// The input of every check of a decision.
struct DecisionInput {
    let request: RoutedRequest
    let head: RequestHead
    let decisionContext: DecisionContext
    let now: UnixTime
}
