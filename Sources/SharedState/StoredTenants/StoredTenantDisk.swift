import Logging
import NIOPosix
import Store
import Verification

/// Copies of the stored tenants in the state directory, so that an instance can start without its store.
///
/// Each is a file `NAME.TAG`, whose content is sealed as in the store: the names alone tell which copies are up to date.
struct StoredTenantDisk: Sendable {
    /// More than the text: its head is in the file too, and its quotes are escaped.
    private static let limit = 4 * StoredTenants.maximumBytes

    private let folder: String
    private let sealer: Sealer
    private let logger: Logger

    /// - Parameter stateDirectory: Created if it does not exist.
    init(stateDirectory: String, sealer: Sealer, logger: Logger) {
        folder = stateDirectory + "/tenants"
        self.sealer = sealer
        self.logger = logger
    }

    /// The copies, without those that cannot be opened, which are logged.
    func all() async -> [StoredTenants.Stored] {
        var newest: [String: StoredTenants.Stored] = [:]
        for file in await files() {
            guard let copy = await copy(file) else { continue }
            if let other = newest[file.name], other.head.number >= copy.head.number { continue }
            newest[file.name] = copy
        }
        return Array(newest.values)
    }

    /// Makes the copies those of `tenants`. Failures are logged, and made up for by the next call.
    ///
    /// - Parameter kept: What is there by now; nil to look.
    /// - Returns: What is there afterwards.
    func keep(_ tenants: [String: StoredTenants.Stored], instead kept: Set<File>?) async -> Set<File> {
        var files: Set<File>
        if let kept { files = kept } else { files = Set(await self.files()) }
        let wanted = Set(tenants.values.map { File(name: $0.head.name, tag: $0.head.tag) })
        for file in wanted.subtracting(files) {
            guard let tenant = tenants[file.name], await write(tenant, to: file) else { continue }
            files.insert(file)
        }
        for file in files.subtracting(wanted) {
            // An older copy is better than none.
            if let tenant = tenants[file.name], !files.contains(File(name: file.name, tag: tenant.head.tag)) {
                continue
            }
            if await remove(file) { files.remove(file) }
        }
        return files
    }

    struct File: Hashable {
        var name: String
        var tag: String

        var text: String { "\(name).\(tag)" }

        init(name: String, tag: String) {
            self.name = name
            self.tag = tag
        }

        /// - Returns: Nil for a file that is being written.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
            (name, tag) = (String(parts[0]), String(parts[1]))
        }
    }

    // MARK: Files

    private func files() async -> [File] {
        let folder = folder
        do {
            return try await NIOThreadPool.singleton.runIfActive { try StateFile.names(in: folder) }
                .compactMap { File($0) }
        } catch {
            logger.error("copies of tenants cannot be listed", metadata: ["folder": "\(folder)", "error": "\(error)"])
            return []
        }
    }

    private func copy(_ file: File) async -> StoredTenants.Stored? {
        let path = "\(folder)/\(file.text)"
        do {
            let read = try await NIOThreadPool.singleton.runIfActive { try StateFile.read(path, limit: Self.limit) }
            guard let sealed = read else { return nil }
            let json = try sealer.open(sealed, for: Self.key(file)).value
            guard let object = try JSONParser.parse(json).object, let text = object["text"]?.string,
                let head = object["head"]?.string.flatMap({ StoredTenantHead(name: file.name, json: Array($0.utf8)) })
            else { throw StoreError.garbled("the copy of tenant \(file.name)") }
            return StoredTenants.Stored(head: head, text: text)
        } catch {
            logger.error("a copy of a tenant cannot be used", metadata: ["file": "\(path)", "error": "\(error)"])
            return nil
        }
    }

    private func write(_ tenant: StoredTenants.Stored, to file: File) async -> Bool {
        let (folder, path) = (folder, "\(folder)/\(file.text)")
        let object: JSONObject = [
            "head": .string(String(decoding: tenant.head.json, as: UTF8.self)), "text": .string(tenant.text),
        ]
        do {
            let sealed = try sealer.seal(JSONWriter.bytes(of: object), for: Self.key(file))
            try await NIOThreadPool.singleton.runIfActive {
                try StateFile.write(sealed, to: path, in: folder, survivesPowerLoss: false)
            }
            return true
        } catch {
            logger.warning(
                "a copy of a tenant cannot be written",
                metadata: ["file": "\(path)", "error": "\(error)"]
            )
            return false
        }
    }

    private func remove(_ file: File) async -> Bool {
        let path = "\(folder)/\(file.text)"
        do {
            try await NIOThreadPool.singleton.runIfActive { try StateFile.remove(path) }
            return true
        } catch {
            logger.warning(
                "a copy of a tenant cannot be removed",
                metadata: ["file": "\(path)", "error": "\(error)"]
            )
            return false
        }
    }

    private static func key(_ file: File) -> StoreKey {
        StoreKey(tenant: file.name, kind: "tenant-copy", name: file.tag)
    }
}
