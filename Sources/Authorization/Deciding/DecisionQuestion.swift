import HTTPCore
import Time

/// A request as a decision's phases hand it on.
struct DecisionQuestion {
    let request: RoutedRequest
    let head: RequestHead
    let decisionContext: DecisionContext
    let now: UnixTime
}
