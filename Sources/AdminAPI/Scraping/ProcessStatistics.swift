import Glibc
import Time

/// Statistics of this process from proc(5).
struct ProcessStatistics: Sendable {
    /// Of all threads, in user and system mode.
    var cpuSeconds: Double
    var residentBytes: Int
    var openFiles: Int
    /// nil for no limit.
    var maximumFiles: UInt64?
    var startedAt: UnixTime

    /// The current values; nil if the system does not provide them.
    static func current() -> ProcessStatistics? {
        guard let fields = read("/proc/self/stat").flatMap(fields(ofStat:)), fields.count > 21,
            let user = Double(fields[11]), let system = Double(fields[12]), let started = Double(fields[19]),
            let pages = Int(fields[21])
        else { return nil }
        let ticks = Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        return ProcessStatistics(
            cpuSeconds: (user + system) / ticks,
            residentBytes: pages * sysconf(Int32(_SC_PAGESIZE)),
            openFiles: countOpenFiles(),
            maximumFiles: fileLimit(),
            startedAt: bootTime() + started / ticks
        )
    }

    /// From the third field on: the second is the program's name, which may contain any characters.
    static func fields(ofStat text: String) -> [Substring]? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
    }

    /// The system's start, rounded to hundredths, since two clocks are read one after the other. `/proc/stat` has it too,
    /// but systemd's `ProcSubset=pid` hides that.
    private static func bootTime() -> UnixTime {
        var sinceBoot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        let booted = Clock.unix() - Double(sinceBoot.tv_sec) - Double(sinceBoot.tv_nsec) / 1_000_000_000
        return UnixTime((booted.seconds * 100).rounded() / 100)
    }

    private static func countOpenFiles() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // `.`, `..`, and the directory itself, which is open only for this.
        return max(count - 3, 0)
    }

    private static func fileLimit() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur != .max
        else { return nil }
        return UInt64(limit.rlim_cur)
    }

    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(Glibc.read(file, buffer.baseAddress, buffer.count), 0)
            }
            if piece.isEmpty { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            bytes += piece
        }
    }
}
