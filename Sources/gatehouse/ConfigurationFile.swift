import Foundation
import Gateway
import NIOPosix
import Synchronization
import Tenants

/// tenants.yaml of a process that runs: read at the start, and anew whenever somebody asks for it.
final class ConfigurationFile: Sendable {
    private let path: String
    private let read = Mutex<ConfigurationWatch.Stamps>([:])

    init(_ path: String) {
        self.path = path
    }

    /// Reads it with the process's environment. Blocks on the disk.
    func readNow() -> ReadResult {
        let files = WatchedFiles()
        files.note(path)
        let result = ConfigurationReader.read(path, files: files)
        read.withLock { $0 = files.stamps }
        return result
    }

    /// The same on a thread for it.
    @Sendable func readAnew() async -> ReadResult {
        let reading = try? await NIOThreadPool.singleton.runIfActive { self.readNow() }
        return reading ?? readNow()
    }

    /// The file, and those that it named, as they were when they were read last.
    var stamps: ConfigurationWatch.Stamps { read.withLock { $0 } }
}
