@testable import HTTPCore

// An expectation cannot hold a span, which must not outlive its bytes.

extension FrameBoundary {
    mutating func advance(_ bytes: [UInt8]) { advance(bytes.span) }
    func prefixToBoundary(_ bytes: [UInt8]) -> Int? { prefixToBoundary(bytes.span) }
}
