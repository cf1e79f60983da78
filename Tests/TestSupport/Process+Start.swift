import Foundation
import Synchronization

extension Process {
    private static let starting = Mutex(())

    /// Starts it while no other is being started.
    ///
    /// Foundation learns of a program's end by a socket that the program holds. A program that another thread starts at
    /// the same moment may inherit it: then the first one's end shows only when the second ends as well.
    package func start() throws {
        try Self.starting.withLock { _ in try run() }
    }
}
