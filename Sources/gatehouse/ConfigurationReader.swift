import CommandSupport
import FoundationEssentials
import Tenants

/// Reads tenants.yaml with the process's environment and the real file system.
enum ConfigurationReader {
    /// - Parameter further: The tenants of the store; nil if there are none.
    static func read(
        _ path: String,
        files: some FileReading = DiskFiles(),
        further: FurtherTenants? = nil
    ) -> ReadResult {
        TenantsFile.read(
            path: path,
            environment: ProcessInfo.processInfo.environment,
            files: files,
            now: WallClock.now(),
            further: further
        )
    }

    /// `GATEHOUSE_KEY`, if it is set.
    static var sealingKeys: Secret? {
        ProcessInfo.processInfo.environment["GATEHOUSE_KEY"].flatMap { $0.isEmpty ? nil : Secret($0) }
    }
}
