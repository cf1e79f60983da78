/// The first commands on a new connection, each sent after the reply to the previous one.
///
/// `AUTH`, then `PING`, which reveals a server that is still loading or needs a password; then `ROLE` if the server
/// must be a master, `SELECT` and `CLIENT SETNAME`. A sentinel is asked for the master instead.
struct Handshake: Equatable {
    enum Purpose: Equatable {
        /// A connection for commands. `mustBeMaster`: a sentinel named it as the master.
        case commands(mustBeMaster: Bool)
        case findMaster(name: String)
    }

    enum Action: Equatable {
        case send(RedisCommand)
        case ready
        case master(RedisAddress)
        case fail(ConnectFailure)
    }

    private enum Step: Equatable {
        case authenticate(RedisCredentials)
        case check
        case role
        case select(Int)
        case name(String)
        case findMaster(String)
    }

    /// The remaining steps, the current one first.
    private var steps: ArraySlice<Step>

    init(_ configuration: RedisConfiguration, for purpose: Purpose) {
        var steps: [Step] = []
        switch purpose {
        case .findMaster(let name):
            if case .sentinels(_, _, let credentials?) = configuration.servers {
                steps.append(.authenticate(credentials))
            }
            steps.append(.findMaster(name))
        case .commands(let mustBeMaster):
            if let credentials = configuration.credentials { steps.append(.authenticate(credentials)) }
            steps.append(.check)
            if mustBeMaster { steps.append(.role) }
            if configuration.database != 0 { steps.append(.select(configuration.database)) }
            if let name = configuration.clientName { steps.append(.name(name)) }
        }
        self.steps = steps[...]
    }

    /// The transport is open.
    func opened() -> Action { nextAction }

    mutating func received(_ reply: RedisReply) -> Action {
        guard let step = steps.popFirst() else { return .fail(.transient("an unexpected reply")) }
        if case .findMaster(let name) = step { return Self.master(name, in: reply) }
        if let failure = Self.failure(of: step, in: reply) { return .fail(failure) }
        return nextAction
    }

    private var nextAction: Action {
        switch steps.first {
        case nil: .ready
        case .authenticate(let credentials):
            // Always with a user: the form with a password alone gets another error if no password is configured.
            .send(RedisCommand("AUTH", credentials.user ?? "default", credentials.password.bytes))
        case .check: .send(RedisCommand("PING"))
        case .role: .send(RedisCommand("ROLE"))
        case .select(let database): .send(RedisCommand("SELECT", database))
        case .name(let name): .send(RedisCommand("CLIENT", "SETNAME", name))
        case .findMaster(let name): .send(RedisCommand("SENTINEL", "get-master-addr-by-name", name))
        }
    }

    private static func failure(of step: Step, in reply: RedisReply) -> ConnectFailure? {
        guard case .error(let code, let message) = reply else {
            return step == .role ? Self.roleFailure(reply) : nil
        }
        if case .authenticate = step { return refusedCredentials(code) }
        switch (step, code) {
        case (.check, "NOPERM"), (.check, "MISCONF"), (.name, _):
            // Errors that do not matter: a server that cannot save refuses writes, and `PING`, but can be read. The
            // name is optional.
            return nil
        case (.role, "NOPERM"):
            return .refused("\(message); with Sentinel the user needs +role")
        case (_, "WRONGPASS"), (_, "NOAUTH"), (_, "NOPERM"):
            return .refused(message)
        case (.select(let database), "ERR"):
            return .refused("database \(database) cannot be selected: \(message)")
        case (.authenticate, _), (.check, _), (.role, _), (.select, _), (.findMaster, _):
            return .transient(message)
        }
    }

    /// A server that does not know `AUTH` echoes its arguments, including the password: only codes that Redis is known
    /// to return are passed on.
    private static func refusedCredentials(_ code: String) -> ConnectFailure {
        switch code {
        case "WRONGPASS", "NOAUTH", "NOPERM": .refused("\(code): the server does not take the user and the password")
        case "ERR": .transient("ERR in reply to AUTH: it has too many clients, or does not know AUTH with a user")
        case "BUSY", "LOADING", "MASTERDOWN": .transient("\(code) in reply to AUTH")
        default: .transient("an error in reply to AUTH")
        }
    }

    private static func roleFailure(_ reply: RedisReply) -> ConnectFailure? {
        let role: String? = if case .array(let parts) = reply { parts.first?.text } else { nil }
        return role == "master" ? nil : .notMaster("the server is no master but \(role ?? "something unknown")")
    }

    private static func master(_ name: String, in reply: RedisReply) -> Action {
        switch reply {
        case .array(let parts):
            guard parts.count == 2, let host = parts[0].text, let port = parts[1].text.flatMap(Int.init),
                !host.isEmpty, (1...65_535).contains(port)
            else { return .fail(.transient("the sentinel's reply is not an address")) }
            return .master(RedisAddress(host: host, port: port))
        case .null:
            return .fail(.transient("the sentinel knows no master named \(name)"))
        case .error(let code, let message):
            let isRefusal = ["NOAUTH", "NOPERM", "WRONGPASS"].contains(code)
            return .fail(isRefusal ? .refused(message) : .transient(message))
        case .string, .status, .integer:
            return .fail(.transient("the sentinel's reply is not an address"))
        }
    }
}
