import FoundationEssentials
package import Time

/// The system's clock: the only source of the time of day in the program.
package enum WallClock {
    package static func now() -> UnixTime { UnixTime(Date().timeIntervalSince1970) }
}
