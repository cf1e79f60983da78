/// How pieces of a body are written.
package enum PieceLimits {
    /// Bodies up to this size are copied behind the head, so that both leave in one write; larger ones are written
    /// separately.
    package static let coalesced = 12 << 10
}
