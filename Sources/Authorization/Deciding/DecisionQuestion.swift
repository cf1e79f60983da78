package import HTTPCore
package import Time

/// A request as a decision's phases hand it on.
package struct DecisionQuestion {
    package let request: RoutedRequest
    package let head: RequestHead
    package let circumstances: Circumstances
    package let now: UnixTime
}
