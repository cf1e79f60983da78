import Foundation

/// The system's clock: the one place of the program that is asked for the time of day.
enum WallClock {
    /// Unix seconds.
    static func now() -> Double { Date().timeIntervalSince1970 }
}
