import IdentityProvider
import Logging
import NIOPosix
import Tenants
import Upstream

/// The addresses of an `emails_file`, read again once it has changed. A file that is gone or has a mistake changes
/// nothing: that is logged, and the addresses read before stay in use.
///
/// It is looked at when somebody signs in, which is seldom, and not by a timer.
actor WatchedEmails: EmailListing {
    private let path: String
    private let logger: Logger
    private var stamp: FileStamp?
    private var emails: AllowedEmails?

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    func contains(_ email: String) async -> Bool {
        await look()
        return emails?.contains(email) ?? false
    }

    private struct Reading: Sendable {
        var stamp: FileStamp?
        /// Nil for a file that has not changed.
        var emails: AllowedEmails?
        var fault: String?
    }

    private func look() async {
        let (path, known) = (path, stamp)
        // The threads for tasks are few, and files may be slow.
        let reading = try? await NIOThreadPool.singleton.runIfActive { Self.read(path, since: known) }
        guard let reading else { return }
        stamp = reading.stamp
        if let emails = reading.emails { self.emails = emails }
        if let fault = reading.fault {
            logger.error(
                "changed e-mails cannot be used; those read before stay in use",
                metadata: ["file": "\(path)", "error": "\(fault)"]
            )
        }
    }

    private static func read(_ path: String, since known: FileStamp?) -> Reading {
        let stamp = FileStamp(path)
        var reading = Reading(stamp: stamp)
        guard stamp != known || stamp == nil else { return reading }
        do {
            reading.emails = try AllowedEmails(DiskFiles().read(path))
        } catch {
            if stamp != known { reading.fault = "\(error)" }
        }
        return reading
    }
}
