import Glibc

/// File attributes that change when the content behind a name does: rewritten, replaced, or reached through another
/// link.
public struct FileStamp: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64
}

extension FileStamp {
    /// Follows all symbolic links, so that a change of a Kubernetes volume, which swaps the link of a whole folder, is
    /// detected.
    ///
    /// - Returns: Nil if there is no such file, or it is not accessible.
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

/// Decides from repeated checks of a set of files when to reload them: when they differ from the last read, and two
/// checks in a row agree. Renewal writes the certificate and its key one after the other.
package struct CertificateFileChanges: Sendable {
    package enum Action: Equatable {
        case nothing
        case reload
    }

    private var read: [FileStamp?]
    private var seen: [FileStamp?]

    /// - Parameter read: The stamps at the time the files were read, or before.
    package init(read: [FileStamp?]) {
        self.read = read
        seen = read
    }

    /// After `.reload` the files count as read, even if reading failed: they are tried again after the next change.
    package mutating func look(_ stamps: [FileStamp?]) -> Action {
        defer { seen = stamps }
        guard stamps != read, stamps == seen else { return .nothing }
        read = stamps
        return .reload
    }
}
