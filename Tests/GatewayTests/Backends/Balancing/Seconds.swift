/// Monotonic nanoseconds for tests that count in seconds.
func seconds(_ count: Double) -> UInt64 { UInt64(count * 1_000_000_000) }
