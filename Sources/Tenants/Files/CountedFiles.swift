import Synchronization

/// Counts what is read, for the readers of values that must not be kept.
final class CountedFiles: FileReading {
    private let files: any FileReading
    private let counter = Atomic<Int>(0)

    init(_ files: any FileReading) {
        self.files = files
    }

    var count: Int { counter.load(ordering: .relaxed) }

    /// Counts what was read before.
    func countAgain() { counter.wrappingAdd(1, ordering: .relaxed) }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        counter.wrappingAdd(1, ordering: .relaxed)
        return try files.read(path)
    }

    func read(_ path: String, limit: Int) throws(FileReadingError) -> [UInt8] {
        counter.wrappingAdd(1, ordering: .relaxed)
        return try files.read(path, limit: limit)
    }

    func list(_ directory: String) throws(FileReadingError) -> [String] {
        counter.wrappingAdd(1, ordering: .relaxed)
        return try files.list(directory)
    }

    func listIncluded(_ directory: String) throws(FileReadingError) -> [String] {
        counter.wrappingAdd(1, ordering: .relaxed)
        return try files.listIncluded(directory)
    }
}
