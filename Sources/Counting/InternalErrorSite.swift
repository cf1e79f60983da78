/// The state machines that report impossible events; the raw value is the label in metrics and logs.
public enum InternalErrorSite: String, CaseIterable, Sendable {
    case request
    case upstreamRequest = "upstream_request"
    case backendStream = "backend_stream"
    case backendConnection = "backend_connection"
    case serverPool = "server_pool"

    /// The index among all cases, for counters in arrays.
    public var index: Int {
        switch self {
        case .request: 0
        case .upstreamRequest: 1
        case .backendStream: 2
        case .backendConnection: 3
        case .serverPool: 4
        }
    }
}
