import Logging
import Synchronization
import Tenants

/// The levels of all modules, checked by every logger for every message: a reload changes them for all at once.
final class LogLevels: Sendable {
    private static let bitsOfLevel: UInt64 = 3

    /// A field for each module and one for all else, in one machine word, so that reading takes no lock.
    private let levels: Atomic<UInt64>

    init(_ settings: LogSettings) {
        levels = Atomic(Self.packed(settings))
    }

    func use(_ settings: LogSettings) {
        levels.store(Self.packed(settings), ordering: .relaxed)
    }

    /// - Parameter module: Nil for messages without a module.
    func level(of module: LogModule?) -> Logger.Level {
        let shifted = levels.load(ordering: .relaxed) >> Self.shift(module)
        return Logger.Level.allCases[Int(shifted & 7)]
    }

    private static func packed(_ settings: LogSettings) -> UInt64 {
        ([nil] + LogModule.allCases).reduce(0) { bits, module in
            let index = LogSettings.Level.allCases.firstIndex(of: settings.level(of: module)) ?? 0
            return bits | UInt64(index) << shift(module)
        }
    }

    private static func shift(_ module: LogModule?) -> UInt64 {
        let index = module.flatMap { LogModule.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        return UInt64(index) * bitsOfLevel
    }
}
