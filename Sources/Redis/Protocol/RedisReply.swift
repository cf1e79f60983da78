/// A reply of the server, in the types of RESP2.
public enum RedisReply: Sendable, Hashable {
    /// A bulk string: any bytes.
    case string([UInt8])
    /// A simple string, like `OK`.
    case status(String)
    case integer(Int64)
    /// A null bulk string or a null array.
    case null
    case array([RedisReply])
    /// The server returned an error. The code is the first word, like `WRONGTYPE`; the message is the whole line.
    case error(code: String, message: String)
}

extension RedisReply {
    /// An error line of RESP: by convention its first word is the code.
    init(errorLine line: String) {
        self = .error(code: String(line.prefix { $0 != " " }), message: line)
    }

    /// The text of a bulk or simple string.
    var text: String? {
        switch self {
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let text): text
        case .integer, .null, .array, .error: nil
        }
    }
}
