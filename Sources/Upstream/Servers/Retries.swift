package import Counting
import Tenants

/// When a request may be tried again.
package struct Retries {
    package let afterConnectFailure: Bool
    private let afterReset: Bool
    private let attempts: Int
    /// One bit per method.
    private let methods: Int

    init(_ rules: RetryRules) {
        afterConnectFailure = rules.afterConnectFailure
        afterReset = rules.afterReset
        attempts = rules.attempts
        methods = Self.bits.reduce(0) { bits, method in rules.methods.contains(method.name) ? bits | method.bit : bits }
    }

    /// `other` stands for all methods without a bit of their own.
    private static let bits = CountedMethod.allCases.filter { $0 != .other }.map { ($0.label, 1 << $0.rawValue) }
        .map { (name: $0, bit: $1) }

    /// Whether a request that a server had may be tried again if the connection breaks before a response.
    package func allows(_ method: CountedMethod, afterTries tries: Int) -> Bool {
        afterReset && tries < attempts && methods >> method.rawValue & 1 == 1
    }
}
