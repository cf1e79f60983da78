import Foundation
import Gateway
import Synchronization
import Tenants
import Testing
import Upstream

/// Real files, looked at every millisecond.
@Suite struct ConfigurationWatchTests {
    /// A configuration of two files, and what became of each reading.
    private final class Attempt: Sendable {
        let files: [String]
        private let read: Mutex<ConfigurationWatch.Stamps>
        private let answers: Mutex<[ReloadReport]>
        private let told: AsyncStream<Void>.Continuation
        let readings: AsyncStream<Void>

        init(_ folder: URL, answers: [ReloadReport]) throws {
            files = ["tenants.yaml", "secret"].map { folder.appendingPathComponent($0).path }
            for file in files { try Data("first".utf8).write(to: URL(fileURLWithPath: file)) }
            read = Mutex([:])
            self.answers = Mutex(answers)
            (readings, told) = AsyncStream.makeStream()
            note()
        }

        var stamps: ConfigurationWatch.Stamps { read.withLock { $0 } }

        /// As a reading does.
        func note() {
            let stamps = Dictionary(uniqueKeysWithValues: files.map { ($0, FileStamp($0)) })
            read.withLock { $0 = stamps }
        }

        func write(_ text: String, to place: Int) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: files[place]), options: .atomic)
        }

        /// - Parameter meanwhile: Runs after the files were read, before the watch is notified.
        func answer(_ meanwhile: () -> Void = {}) -> ReloadReport {
            note()
            meanwhile()
            defer { told.yield() }
            return answers.withLock { $0.isEmpty ? ReloadReport(result: .unchanged, generation: 1) : $0.removeFirst() }
        }
    }

    private func withAttempt(_ answers: [ReloadReport] = [], _ visit: (Attempt) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await visit(try Attempt(folder, answers: answers))
    }

    private func watch(_ attempt: Attempt, changed: @escaping @Sendable () -> ReloadReport) -> Task<Void, Never> {
        let watch = ConfigurationWatch(interval: .milliseconds(1), read: { attempt.stamps }, changed: { changed() })
        return Task { await watch.run() }
    }

    @Test func writeBeforeTheFirstCheckIsReported() async throws {
        try await withAttempt { attempt in
            try attempt.write("second", to: 1)
            let watching = watch(attempt) { attempt.answer() }
            defer { watching.cancel() }
            var readings = attempt.readings.makeAsyncIterator()
            await readings.next()
            #expect(attempt.stamps[attempt.files[1]] == .some(FileStamp(attempt.files[1])))
        }
    }

    /// A Kubernetes volume with the configuration is swapped, and a second later one with its secrets.
    @Test func writeDuringReadingIsAnotherChange() async throws {
        try await withAttempt { attempt in
            let isFirst = Mutex(true)
            try attempt.write("second", to: 0)
            let watching = watch(attempt) {
                attempt.answer {
                    let isNow = isFirst.withLock { first in
                        defer { first = false }
                        return first
                    }
                    if isNow { try? attempt.write("second", to: 1) }
                }
            }
            defer { watching.cancel() }
            var readings = attempt.readings.makeAsyncIterator()
            for _ in 0..<2 { await readings.next() }
            #expect(attempt.stamps[attempt.files[1]] == .some(FileStamp(attempt.files[1])))
        }
    }

    /// The store was unreachable: the file is not written again for that.
    @Test func temporaryFailureIsRetried() async throws {
        let later = ReloadReport(result: .refused, generation: 1, mistakes: ["no store"], mayRetry: true)
        try await withAttempt([later, later]) { attempt in
            try attempt.write("second", to: 0)
            let watching = watch(attempt) { attempt.answer() }
            defer { watching.cancel() }
            var readings = attempt.readings.makeAsyncIterator()
            for _ in 0..<3 { await readings.next() }
        }
    }
}
