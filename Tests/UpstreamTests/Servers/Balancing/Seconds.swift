import TestSupport
import Time

/// Times for tests that count in seconds.
func seconds(_ count: Double) -> MonotonicTime { .after(UInt64(count * 1_000_000_000)) }
