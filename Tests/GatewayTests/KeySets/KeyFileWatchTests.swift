import Foundation
import Logging
import Tenants
import TestSupport
import Testing
import Verification

@testable import Gateway

/// With real files. What is waited for is what the watch hands on or logs; the time limit is a failure's.
@Suite(.timeLimit(.minutes(1))) final class KeyFileWatchTests: Sendable {
    private enum Event: Sendable {
        case used(KeyFileSource, KeySet)
        case logged(String)
    }

    private struct Recorder: LogHandler {
        let events: Awaited<[Event]>
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let text = event.metadata?["error"]?.description ?? ""
            events.update { $0.append(.logged(text)) }
        }
    }

    private let folder: String
    private let events = Awaited<[Event]>([])

    init() throws {
        folder = NSTemporaryDirectory() + "key-files-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ content: [UInt8], to name: String) throws {
        try Data(content).write(to: URL(fileURLWithPath: folder + "/" + name), options: .atomic)
    }

    /// - Parameter level: Of the lines that are events.
    private func watching(
        _ sources: [KeyFileSource],
        level: Logger.Level = .error,
        _ body: () async throws -> Void
    ) async throws {
        let events = self.events
        let watch = KeyFileWatch(
            sources: sources,
            interval: .milliseconds(2),
            logger: Logger(label: "keys") { _ in Recorder(events: events, logLevel: level) },
            use: { source, keys in events.update { $0.append(.used(source, keys)) } }
        )
        let running = Task { await watch.run() }
        try await body()
        running.cancel()
        await running.value
    }

    private func waitForKeys(_ expected: KeySet) async {
        await events.wait { events in
            events.contains {
                if case .used(_, let keys) = $0 { keys == expected } else { false }
            }
        }
    }

    @Test func changedFileIsReloaded() async throws {
        try write(try SampleKeys.keySet(), to: "a.jwks")
        try write(try SampleKeys.keySet(), to: "b.jwks")
        let sources = ["a.jwks", "b.jwks"].map {
            KeyFileSource(kind: .keySet, path: folder + "/" + $0, algorithms: [.es256])
        }
        let changed = try SampleKeys.keySet(2)
        let keys = try KeySet(jwks: changed)
        try await watching(sources) {
            await events.wait { $0.count == 2 }
            try write(changed, to: "b.jwks")
            await waitForKeys(keys)
        }
        guard case .used(sources[1], keys)? = events.value.last, events.value.count == 3 else {
            Issue.record("not the one change: \(events.value)")
            return
        }
    }

    /// What `use` is given first is what the file holds, and not what it held when the configuration was read.
    @Test func changeBeforeTheWatchIsApplied() async throws {
        try write(try SampleKeys.keySet(), to: "a.jwks")
        let source = KeyFileSource(kind: .keySet, path: folder + "/a.jwks", algorithms: [.es256])
        let known = try source.load()
        try write(try SampleKeys.keySet(), to: "a.jwks")
        let changed = try source.load()
        #expect(changed != known)
        try await watching([source]) { await waitForKeys(changed) }
    }

    @Test func onlyAChangeIsLogged() async throws {
        try write(try SampleKeys.keySet(), to: "a.jwks")
        let source = KeyFileSource(kind: .keySet, path: folder + "/a.jwks", algorithms: [.es256])
        try await watching([source], level: .trace) {
            await waitForKeys(try source.load())
            try write(try SampleKeys.keySet(), to: "a.jwks")
            await events.wait { $0.count >= 3 }
        }
        let isLog = events.value.map { if case .logged = $0 { true } else { false } }
        #expect(isLog == [false, false, true])
    }

    @Test func unreadableKeysAreLogged() async throws {
        try write(try SampleKeys.keySet(), to: "a.jwks")
        let path = folder + "/a.jwks"
        let changed = try SampleKeys.keySet()
        try await watching([KeyFileSource(kind: .keySet, path: path, algorithms: [.es256])]) {
            await events.wait { $0.count == 1 }
            try write(Array("garbage".utf8), to: "a.jwks")
            await events.wait { $0.count > 1 }
            guard case .logged(let text)? = events.value.last else {
                Issue.record("garbage was handed on")
                return
            }
            #expect(text.contains(path))
            #expect(!text.contains("garbage"))
            try write(changed, to: "a.jwks")
            await waitForKeys(try KeySet(jwks: changed))
        }
    }

    @Test func eachOfSeveralPrivateKeysIsWatched() async throws {
        for name in ["a.pem", "b.pem"] {
            try write(Array(try #require(SigningKey.generate(.p256).privateKeyPEM).utf8), to: name)
        }
        let source = KeyFileSource(
            kind: .privateKeys(others: [folder + "/b.pem"]),
            path: folder + "/a.pem",
            algorithms: [.es256]
        )
        try await watching([source]) {
            await waitForKeys(try source.load())
            for name in ["b.pem", "a.pem"] {
                try write(Array(try #require(SigningKey.generate(.p256).privateKeyPEM).utf8), to: name)
                await waitForKeys(try source.load())
            }
        }
    }

    @Test func directoryChangesAreApplied() async throws {
        let source = KeyFileSource(kind: .directory, path: folder, algorithms: [.es256])
        try await watching([source]) {
            try write(try SampleKeys.keySet(), to: "a.jwks")
            await waitForKeys(try source.load())
            try write(try SampleKeys.keySet(), to: "b.jwks")
            await waitForKeys(try source.load())
            // Written in place: the directory itself stays as it was.
            try Data(try SampleKeys.keySet(2)).write(to: URL(fileURLWithPath: folder + "/a.jwks"))
            await waitForKeys(try source.load())
            try FileManager.default.removeItem(atPath: folder + "/a.jwks")
            await waitForKeys(try source.load())
            #expect(try source.load().keys.count == 1)
        }
    }
}
