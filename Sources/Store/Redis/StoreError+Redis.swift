import Redis

extension StoreError {
    /// There was no reply.
    init(_ error: RedisError) {
        self =
            switch error {
            case .unusable(let reason): .unusable(reason)
            case .unavailable, .timedOut, .lostInFlight, .queueFull, .commandTooLarge, .cancelled, .closed:
                .unavailable("\(error)")
            }
    }

    /// The reply was an error.
    init(code: String, message: String, command: String) {
        switch Self.cause(code, message) {
        case "NOPERM":
            self = .unusable(
                "Redis' user lacks a right (\(message)): `ACL SETUSER` it `\(RedisStore.rights)`"
            )
        case "WRONGPASS", "NOAUTH":
            self = .unusable("Redis does not accept the credentials (\(message)): correct user and password in `store`")
        case "WRONGTYPE", "GARBLED": self = .garbled("\(command): \(message)")
        default: self = .unavailable("Redis refused \(command): \(message)")
        }
    }

    /// With Redis 7 the error code of a command in a script is the code of the reply; before that it is in the message.
    private static func cause(_ code: String, _ message: String) -> String {
        guard code == "ERR" else { return code }
        if message.contains("executing the script can't") { return "NOPERM" }
        return ["NOPERM", "WRONGTYPE"].first { message.contains(" \($0) ") } ?? code
    }
}

extension RedisReply {
    var bytes: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var array: [RedisReply]? { if case .array(let array) = self { array } else { nil } }
    var isNull: Bool { self == .null }
}

extension StoreError {
    /// A reply of an unexpected shape.
    static func unexpected(_ command: String) -> StoreError { .garbled("Redis' reply to \(command)") }
}
