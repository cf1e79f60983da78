/// Why an attempt to connect did not lead to a connection that can be used.
enum ConnectFailure: Error, Equatable {
    /// The server will go on refusing until somebody changes its settings or ours.
    case refused(String)
    /// It may mend by itself.
    case transient(String)
    /// The server is there and is not the master.
    case notMaster(String)

    var reason: String {
        switch self {
        case .refused(let reason), .transient(let reason), .notMaster(let reason): reason
        }
    }
}
