import CommandSupport
import Demo

/// The demo user's session in each app, which the start page and the tokens file share.
actor DemoTokens {
    /// What the gateway thinks of a session's access token.
    enum State: String, Sendable {
        case valid, revoked
    }

    private struct Entry {
        var session: SampleSession
        var state: State
    }

    private let adminToken: String
    /// Nil if no file is wanted.
    private let file: TokensFile?
    private var entries: [SampleAppName: Entry] = [:]
    /// Sessions with an access token that has expired, to be refreshed by a curl line.
    private var expired: [SampleAppName: SampleSession] = [:]

    init(adminToken: String, file: TokensFile?) {
        self.adminToken = adminToken
        self.file = file
    }

    func session(of app: SampleAppName) -> SampleSession? { entries[app]?.session }

    func state(of app: SampleAppName) -> State? { entries[app]?.state }

    func set(_ session: SampleSession, of app: SampleAppName) throws(CommandFailure) {
        entries[app] = Entry(session: session, state: .valid)
        try write()
    }

    func setExpired(_ session: SampleSession, of app: SampleAppName) throws(CommandFailure) {
        expired[app] = session
        try write()
    }

    func setRevoked(_ app: SampleAppName) {
        entries[app]?.state = .revoked
    }

    func removeFile() {
        file?.remove()
    }

    /// `CUSTOMER_TOKEN`, `CUSTOMER_EXPIRED_TOKEN`, where there is one `CHAT_REFRESH_TOKEN`, and so on.
    private var variables: [(name: String, value: String)] {
        var variables: [(name: String, value: String)] = []
        for app in SampleAppName.allCases {
            let name = app.rawValue.uppercased()
            for (session, kind) in [(entries[app]?.session, ""), (expired[app], "EXPIRED_")] {
                guard let session else { continue }
                variables.append(("\(name)_\(kind)TOKEN", session.accessToken))
                guard let refreshToken = session.refreshToken else { continue }
                variables.append(("\(name)_\(kind)REFRESH_TOKEN", refreshToken))
            }
        }
        return variables + [("ADMIN_TOKEN", adminToken)]
    }

    private func write() throws(CommandFailure) {
        try file?.write(variables)
    }
}
