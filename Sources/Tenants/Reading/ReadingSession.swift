import ConfigurationText
import Time

/// What the readers of all sections share: the findings, the files, and what is known of the gateway.
final class ReadingSession {
    /// Prefix of the example configuration's secrets, which everyone knows.
    static let examplePrefix = "example-only-"

    let findings: Findings
    let files: any FileReading
    private let counted: CountedFiles
    /// Times that a file or a directory was read.
    var filesRead: Int { counted.count }
    /// For variables that the gateway reads without a `${NAME}` in the file.
    let environment: [String: String]
    /// The time that certificates must be valid at; nil: their validity is not checked.
    let now: UnixTime?
    /// Whether only this machine can reach the listeners.
    var isLoopbackOnly = true

    /// Of tenants.yaml: ends with `/`, or is empty for the working directory.
    let directory: String

    init(
        findings: Findings,
        files: any FileReading,
        path: String,
        environment: [String: String],
        now: UnixTime? = nil
    ) {
        self.findings = findings
        counted = CountedFiles(files)
        self.files = counted
        self.environment = environment
        self.now = now
        self.directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// By the place of their list: many tenants have the rules of one template, which are read and kept once.
    private var accessRules: [Position: AccessRules] = [:]

    /// What `read` makes of a list, or made of it before. A list with a mistake is read each time: it is the mistake of
    /// each tenant that has it.
    func accessRules(at list: DocumentNode, _ read: () -> AccessRules) -> AccessRules {
        if let known = accessRules[list.position] { return known }
        let before = findings.errorCount
        let rules = read()
        if findings.errorCount == before { accessRules[list.position] = rules }
        return rules
    }

    /// By their files' paths.
    var pageTexts: [String: PageTexts] = [:]
    var logos: [String: PageLogo] = [:]

    /// What `read` makes of a file, or made of it before for another tenant. One with a mistake is read each time.
    func shared<Value>(
        _ kept: ReferenceWritableKeyPath<ReadingSession, [String: Value]>,
        _ path: String,
        _ read: (_ path: String) -> Value?
    ) -> Value? {
        if let known = self[keyPath: kept][path] {
            // What has been read from a file is not kept for another reading.
            counted.countAgain()
            return known
        }
        let new = read(path)
        self[keyPath: kept][path] = new
        return new
    }

    /// By the paths of a tenant's keys, which many tenants have alike.
    private var places: [[String]: [String: Int]] = [:]

    /// The places of paths, in memory once for equal paths.
    func places(of paths: [String]) -> [String: Int] {
        if let known = places[paths] { return known }
        let new = KeyLines.places(of: paths)
        places[paths] = new
        return new
    }

    /// Resolves a path that the file names against the file's directory.
    func resolve(_ path: String) -> String {
        path.hasPrefix("/") ? path : directory + path
    }

    /// A place as a message at another one names it: `line 4`, or with its file if that is another.
    func place(of position: Position, from other: Position) -> String { findings.place(of: position, from: other) }

    func at(_ position: Position) -> ReportingPosition { ReportingPosition(findings: findings, position: position) }

    /// The position of a value.
    func at(_ node: DocumentNode) -> ReportingPosition { at(node.position) }

    /// The position of a key.
    func at(_ entry: DocumentNode.Entry) -> ReportingPosition { at(entry.keyPosition) }

    /// Reads a mode, and warns of `observe`.
    ///
    /// - Parameter effect: What observing does, as the end of the warning.
    func mode(_ key: Key<Tenant.Mode>, of section: DocumentNode?, _ effect: String) -> Tenant.Mode {
        let mode = section.read(key)
        if mode == .observe, let node = section?[key] {
            at(node).warning("mode observe \(effect): use it for a migration only")
        }
        return mode
    }

    /// Reports a secret that was copied from the example configuration: an error once others can connect.
    func checkExample(_ secret: Secret, name: String, _ node: DocumentNode) {
        guard secret.bytes.starts(with: Self.examplePrefix.utf8) else { return }
        if isLoopbackOnly {
            at(node).warning("\(name) is the example's, which everyone knows: replace it before others can connect")
        } else {
            at(node).error(
                "\(name) is the example's, which everyone knows, and a listener is not on loopback: set a secret "
                    + "of your own, for example from \"openssl rand -base64 48\""
            )
        }
    }

    /// Reads the file that `node` names; nil if that fails, which is reported.
    func content(of node: DocumentNode, name: String) -> [UInt8]? {
        guard let scalar = node.filled else { return nil }
        do throws(FileReadingError) {
            return try files.read(resolve(scalar.text))
        } catch {
            return at(node).refuse("\(name) cannot be read, \(scalar.shown): \(error)")
        }
    }
}

/// A position in the file, to report errors and warnings at.
struct ReportingPosition {
    let findings: Findings
    let position: Position

    func error(_ message: String) { findings.error(position, message) }

    func warning(_ message: String) { findings.warning(position, message) }

    /// Reports an error and returns nil, for a reader that has no value then.
    func refuse<Value>(_ message: String) -> Value? {
        error(message)
        return nil
    }

    /// The result of `reading`; nil if it throws, which is reported.
    ///
    /// - Parameter fault: The start of the message, which ends with the remedy.
    func value<Value>(
        of reading: @autoclosure () throws(Remedy) -> Value,
        or fault: @autoclosure () -> String
    ) -> Value? {
        do throws(Remedy) {
            return try reading()
        } catch {
            return refuse("\(fault()): \(error.text)")
        }
    }
}
