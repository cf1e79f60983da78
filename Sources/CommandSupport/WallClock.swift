import Foundation
package import Time

/// The system's clock: the one place of the program that is asked for the time of day.
package enum WallClock {
    package static func now() -> UnixTime { UnixTime(Date().timeIntervalSince1970) }
}
