import Foundation
import Logging
import Tenants
import TestSupport
import Testing

@testable import Upstream

@Suite struct CertificateFileChangesTests {
    private func stamp(_ inode: UInt64, size: Int64 = 10, seconds: Int64 = 1, nanoseconds: Int64 = 0) -> FileStamp {
        FileStamp(device: 1, inode: inode, size: size, modifiedSeconds: seconds, modifiedNanoseconds: nanoseconds)
    }

    @Test func unchangedFilesAreNotReadAgain() {
        var changes = CertificateFileChanges(read: [stamp(1), nil])
        for _ in 0..<3 { #expect(changes.look([stamp(1), nil]) == .nothing) }
    }

    @Test func changeIsReadOnceTwoChecksAgree() {
        var changes = CertificateFileChanges(read: [stamp(1), stamp(2)])
        #expect(changes.look([stamp(3), stamp(2)]) == .nothing)
        #expect(changes.look([stamp(3), stamp(4)]) == .nothing)
        #expect(changes.look([stamp(3), stamp(4)]) == .reload)
        #expect(changes.look([stamp(3), stamp(4)]) == .nothing)
    }

    @Test func revertedChangeIsIgnored() {
        var changes = CertificateFileChanges(read: [stamp(1)])
        #expect(changes.look([stamp(2)]) == .nothing)
        #expect(changes.look([stamp(1)]) == .nothing)
        #expect(changes.look([stamp(1)]) == .nothing)
    }

    @Test func everyPartOfStampCounts() {
        for changed in [stamp(1, size: 11), stamp(1, seconds: 2), stamp(1, nanoseconds: 1), nil] {
            var changes = CertificateFileChanges(read: [stamp(1)])
            #expect(changes.look([changed]) == .nothing)
            #expect(changes.look([changed]) == .reload)
        }
    }

    @Test func restoredFileIsReadAgain() {
        var changes = CertificateFileChanges(read: [stamp(1)])
        _ = changes.look([nil])
        #expect(changes.look([nil]) == .reload)
        #expect(changes.look([stamp(1)]) == .nothing)
        #expect(changes.look([stamp(1)]) == .reload)
    }

    @Test func stampFollowsLinks() throws {
        let folder = try CertificateFolder()
        try folder.write("one", to: "first")
        try folder.write("two", to: "second")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.file("data"), withDestinationPath: "first")
        try files.createSymbolicLink(atPath: folder.file("tls.crt"), withDestinationPath: "data")
        let before = FileStamp(folder.file("tls.crt"))
        #expect(before == FileStamp(folder.file("first")))
        try files.removeItem(atPath: folder.file("data"))
        #expect(FileStamp(folder.file("tls.crt")) == nil)
        try files.createSymbolicLink(atPath: folder.file("data"), withDestinationPath: "second")
        #expect(FileStamp(folder.file("tls.crt")) == FileStamp(folder.file("second")))
        #expect(FileStamp(folder.file("tls.crt")) != before)
    }
}

/// With real files. The tests wait for the events of the watch; the time limit only ends a failing test.
@Suite(.timeLimit(.minutes(1))) struct CertificateWatchTests {
    private enum Event: Sendable {
        case loaded(ServerCertificates)
        case logged(Logger.Level, file: String)
    }

    private struct Recorder: LogHandler {
        let events: AsyncStream<Event>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            events.yield(.logged(event.level, file: event.metadata?["file"]?.description ?? ""))
        }
    }

    @Test func lastGoodFilesAreKept() async throws {
        let folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        for name in ["shop", "renewed"] { try folder.makeServer(name, by: "ca", for: ["shop.test"]) }
        let tenants = (hosts: [HostPattern.exact("shop.test")], certificate: folder.certificate("shop"))
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let watch = CertificateWatch(
            files: ServerCertificates.files(of: [tenants]),
            interval: .milliseconds(2),
            logger: Logger(label: "watch") { _ in Recorder(events: continuation) },
            load: { () throws(CertificateProblem) -> ServerCertificates? in
                try ServerCertificates(loading: [tenants])
            },
            use: { if let certificates = $0 { continuation.yield(.loaded(certificates)) } }
        )
        let running = Task { await watch.run() }
        var iterator = events.makeAsyncIterator()

        try folder.write("garbage", to: "shop.key")
        guard case .logged(.error, let file) = await iterator.next() else {
            Issue.record("a key that cannot be read was not logged")
            return running.cancel()
        }
        #expect(file == folder.file("shop.key"))

        try FileManager.default.removeItem(atPath: folder.file("shop.pem"))
        try FileManager.default.moveItem(atPath: folder.file("renewed.pem"), toPath: folder.file("shop.pem"))
        try folder.write(try folder.read("renewed.key"), to: "shop.key")
        var loaded: ServerCertificates?
        while loaded == nil, let event = await iterator.next() {
            if case .loaded(let certificates) = event { loaded = certificates }
        }
        #expect(loaded?.defaultIdentity.files == folder.certificate("shop"))
        running.cancel()
        await running.value
    }
}
