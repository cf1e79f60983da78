@testable public import Tenants

/// Tests write a server's index as a plain number.
extension ServerIndex: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
}
