/// Why an attempt did not lead to a usable connection.
enum ConnectFailure: Error, Equatable {
    /// The server refuses until its settings or those of the gateway are changed.
    case refused(String)
    /// It may resolve itself.
    case transient(String)
    /// The server responds but is not the master.
    case notMaster(String)

    var reason: String {
        switch self {
        case .refused(let reason), .transient(let reason), .notMaster(let reason): reason
        }
    }
}
