import Glibc

/// The process's limit of open files, and so of connections.
package enum FileDescriptorLimit {
    /// Raises the soft limit to the hard one: the usual soft limit of 1024 is meant for programs that use `select`.
    ///
    /// - Returns: The limit before and now, or nil if the system refused.
    package static func raise() -> (before: UInt, now: UInt)? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return (UInt(before), UInt(limit.rlim_cur))
    }
}
