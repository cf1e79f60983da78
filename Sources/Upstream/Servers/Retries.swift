package import Counting
import Tenants

/// When a request may be made again.
package struct Retries {
    package let afterConnectFailure: Bool
    private let afterReset: Bool
    private let attempts: Int
    /// A bit a method.
    private let methods: Int

    init(_ rules: RetryRules) {
        afterConnectFailure = rules.afterConnectFailure
        afterReset = rules.afterReset
        attempts = rules.attempts
        methods = CountedMethod.allCases.reduce(0) { bits, method in
            // `other` is no method but all that are not counted apart.
            rules.methods.contains(method.label) && method != .other ? bits | 1 << method.rawValue : bits
        }
    }

    /// Whether a request that a server had may be made again if the connection breaks before an answer.
    package func allows(_ method: CountedMethod, afterTries tries: Int) -> Bool {
        afterReset && tries < attempts && methods >> method.rawValue & 1 == 1
    }
}
