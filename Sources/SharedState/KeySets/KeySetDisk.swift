import Logging
import NIOPosix
import Verification

/// The last set of each source in the state directory, so that an instance can start without its store and the
/// provider.
struct KeySetDisk: Sendable {
    private let folder: String
    private let logger: Logger

    /// - Parameter stateDirectory: Created if it does not exist.
    init(stateDirectory: String, logger: Logger) {
        folder = stateDirectory + "/key-sets"
        self.logger = logger
    }

    /// - Returns: Nil if there is none, or an unusable one, which is logged.
    func record(for location: String) async -> KeySetRecord? {
        let file = self.file(for: location)
        do {
            guard
                let bytes = try await NIOThreadPool.singleton.runIfActive({
                    try StateFile.read(file, limit: KeySetRecord.maximumLength)
                })
            else { return nil }
            if let record = KeySetRecord(json: bytes), record.location == location { return record }
            logger.error("key set on disk is not one and is ignored", metadata: ["file": "\(file)"])
        } catch {
            logger.error("key set on disk cannot be read", metadata: ["file": "\(file)", "error": "\(error)"])
        }
        return nil
    }

    /// Failures are logged.
    func write(_ record: KeySetRecord) async {
        let file = self.file(for: record.location)
        let folder = self.folder
        do {
            try await NIOThreadPool.singleton.runIfActive { try StateFile.write(record.json, to: file, in: folder) }
        } catch {
            logger.warning("key set cannot be written to disk", metadata: ["file": "\(file)", "error": "\(error)"])
        }
    }

    /// A digest, since an address may contain secrets, or characters that a file name cannot have.
    func file(for location: String) -> String {
        "\(folder)/\(Hexadecimal.text(SHA256.digest(Array(location.utf8)))).json"
    }
}
