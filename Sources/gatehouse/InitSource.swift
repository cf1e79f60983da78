import CommandSupport
import Migration
import Tenants

/// The files that `gatehouse init` translates.
enum InitSource {
    static func read(_ path: String) throws(CommandFailure) -> SourceFile {
        do {
            let bytes = try DiskFiles().read(path)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandFailure("\(path): not valid UTF-8")
            }
            return SourceFile(name: path, text: text)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    /// The files that an `include` of nginx names; `*` stands for any part of a file's name.
    ///
    /// - Parameter path: The main file: names are relative to its directory.
    static func included(from path: String) -> (String) -> [SourceFile]? {
        let directory = path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : ""
        return { name in
            let whole = name.hasPrefix("/") ? name : directory + name
            guard whole.contains("*") else { return (try? read(whole)).map { [$0] } }
            let folder = String(whole[...(whole.lastIndex(of: "/") ?? whole.startIndex)])
            let pattern = String(whole.dropFirst(folder.count))
            guard !folder.contains("*"), let names = try? DiskFiles().list(folder) else { return nil }
            var files: [SourceFile] = []
            for name in names.sorted() where matches(name, pattern) && !name.hasPrefix(".") {
                guard let file = try? read(folder + name) else { return nil }
                files.append(file)
            }
            return files
        }
    }

    static func matches(_ name: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return name == pattern }
        guard name.count >= first.count + last.count, name.hasPrefix(first), name.hasSuffix(last) else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
