/// Why a call ends without a reply: gRPC's status code, and a message of printable ASCII without `%`, which is sent as
/// it is.
struct CallStatus: Error, Equatable {
    enum Code: Int {
        case invalidArgument = 3
        case deadlineExceeded = 4
        case permissionDenied = 7
        case resourceExhausted = 8
        case unimplemented = 12
        case internalError = 13
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
