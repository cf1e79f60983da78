import FoundationEssentials
import Gateway
import NIOPosix
import Synchronization
import Tenants

/// tenants.yaml of a running process: read at the start, and reloaded on request.
final class ConfigurationFile: Sendable {
    private let path: String
    private let read = Mutex<ConfigurationWatch.Stamps>([:])

    init(_ path: String) {
        self.path = path
    }

    /// Reads it with the process's environment. Blocks on the disk.
    func readNow() -> ReadResult { readNow(ReadingRequest()) }

    private func readNow(_ request: ReadingRequest) -> ReadResult {
        let files = WatchedFiles()
        files.note(path)
        let result = ConfigurationReader.read(path, files: files, further: request.further)
        if !request.isTrial { read.withLock { $0 = files.stamps } }
        return result
    }

    /// Reads it again on a separate thread.
    @Sendable func reload(_ request: ReadingRequest) async -> ReadResult {
        let reading = try? await NIOThreadPool.singleton.runIfActive { self.readNow(request) }
        return reading ?? readNow(request)
    }

    /// The configuration file and the files that it names, as they were when last read.
    var stamps: ConfigurationWatch.Stamps { read.withLock { $0 } }
}
