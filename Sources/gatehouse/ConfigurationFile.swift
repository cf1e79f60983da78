import Foundation
import NIOPosix
import Synchronization
import Tenants

/// tenants.yaml of a process that runs: read at the start, and anew whenever somebody asks for it.
final class ConfigurationFile: Sendable {
    private let path: String
    /// What the last reading was made of.
    private let read = Mutex<[String]>([])

    init(_ path: String) {
        self.path = path
    }

    /// Reads it with the process's environment. Blocks on the disk.
    func readNow() -> ReadResult {
        let files = WatchedFiles()
        let result = ConfigurationReader.read(path, files: files)
        read.withLock { $0 = Array(Set(files.paths + [path])) }
        return result
    }

    /// The same on a thread for it.
    @Sendable func readAnew() async -> ReadResult {
        let reading = try? await NIOThreadPool.singleton.runIfActive { self.readNow() }
        return reading ?? readNow()
    }

    /// The file and those that it named when it was read last.
    var paths: [String] { read.withLock { $0 } }
}
