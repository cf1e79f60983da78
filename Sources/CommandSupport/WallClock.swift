import Foundation

/// The system's clock: the one place of the program that is asked for the time of day.
package enum WallClock {
    /// Unix seconds.
    package static func now() -> Double { Date().timeIntervalSince1970 }
}
