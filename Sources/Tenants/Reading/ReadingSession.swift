import Time

/// What the readers of the sections share: the findings, the files, and what is known of the gateway.
struct ReadingSession {
    /// What a secret of the example configuration begins with: good for a first run, never for a deployment.
    static let examplePrefix = "example-only-"

    var findings: Findings
    let files: any FileReading
    /// For what the gateway takes from it without being told by a `${NAME}`.
    let environment: [String: String]
    /// The time that certificates are judged at; nil: whether they have expired is not judged.
    let now: UnixTime?
    /// Whether only this machine can reach the listeners.
    var isLoopbackOnly = true

    /// Of tenants.yaml: ends with `/`, or is empty for the directory that the gateway runs in.
    let directory: String

    init(
        findings: Findings,
        files: any FileReading,
        path: String,
        environment: [String: String],
        now: UnixTime? = nil
    ) {
        self.findings = findings
        self.files = files
        self.environment = environment
        self.now = now
        self.directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// A path of the file, relative to the file's directory.
    func resolve(_ path: String) -> String {
        path.hasPrefix("/") ? path : directory + path
    }

    /// Whether refusals are only noted, which is warned of.
    ///
    /// - Parameter effect: What observing does: the message goes on so after the mode's name.
    mutating func mode(_ key: Key<Tenant.Mode>, of section: DocumentNode?, _ effect: String) -> Tenant.Mode {
        let mode = section.read(key)
        if mode == .observe, let place = section?[key]?.place {
            findings.warning(place, "mode observe \(effect): use it for a migration only")
        }
        return mode
    }

    /// Reports a mistake, for a reader that gives nothing then.
    mutating func refuse<Value>(_ place: Place, _ message: String) -> Value? {
        findings.error(place, message)
        return nil
    }

    /// What `body` makes of a text of the file; nil where it throws, which is reported.
    ///
    /// - Parameter fault: What the message begins with; the remedy follows.
    mutating func value<Value>(
        at place: Place,
        _ fault: @autoclosure () -> String,
        _ body: () throws(ScalarText.Problem) -> Value
    ) -> Value? {
        do throws(ScalarText.Problem) {
            return try body()
        } catch {
            return refuse(place, "\(fault()): \(error.remedy)")
        }
    }

    /// Reports a secret that everyone knows who has read the example.
    mutating func judgeExample(_ secret: Secret, name: String, _ place: Place) {
        guard secret.bytes.starts(with: Self.examplePrefix.utf8) else { return }
        if isLoopbackOnly {
            findings.warning(
                place,
                "\(name) is the example's, which everyone knows: replace it before others can connect"
            )
        } else {
            findings.error(
                place,
                "\(name) is the example's, which everyone knows, and a listener is not on loopback: set a secret "
                    + "of your own, for example from \"openssl rand -base64 48\""
            )
        }
    }

    /// Reads the file that `node` names; reports why it cannot be read.
    mutating func content(of node: DocumentNode, name: String) -> [UInt8]? {
        guard let scalar = node.filled else { return nil }
        do throws(FileReadingError) {
            return try files.read(resolve(scalar.text))
        } catch {
            findings.error(node.place, "\(name) cannot be read, \(scalar.shown): \(error)")
            return nil
        }
    }
}
