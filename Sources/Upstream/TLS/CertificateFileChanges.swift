import Glibc

/// What changes about a file's name when its content does: written anew, replaced, or reached by another link.
public struct FileStamp: Equatable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64
}

extension FileStamp {
    /// Follows symbolic links to their end, so that a Kubernetes volume, which swaps the link of a whole folder, is
    /// seen to change.
    ///
    /// - Returns: Nil if there is no such file, or none that may be seen.
    public init?(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modifiedSeconds: Int64(status.st_mtim.tv_sec),
            modifiedNanoseconds: Int64(status.st_mtim.tv_nsec)
        )
    }
}

/// Says from looks at a set of files when to read them anew: when they are not what was read last, and two looks in a
/// row found the same. Who renews a certificate writes it and its key one after the other.
package struct CertificateFileChanges: Sendable {
    package enum Action: Equatable {
        case nothing
        case reload
    }

    private var read: [FileStamp?]
    private var seen: [FileStamp?]

    /// - Parameter read: The files as they were when they were read, or before.
    package init(read: [FileStamp?]) {
        self.read = read
        seen = read
    }

    /// After `.reload` the files count as read, also if they could not be: they are tried again when they change again.
    package mutating func look(_ stamps: [FileStamp?]) -> Action {
        defer { seen = stamps }
        guard stamps != read, stamps == seen else { return .nothing }
        read = stamps
        return .reload
    }
}
