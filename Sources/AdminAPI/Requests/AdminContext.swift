import HTTPCore
import Hummingbird
import NIOCore

/// The context of a request to the admin listener.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let requestID = RequestID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    /// nil before ``AdminAccess`` has authenticated the request.
    var caller: AdminCaller?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// How a client of the admin listener was authenticated.
enum AdminCaller: Sendable, Equatable {
    case token
    /// A client certificate with this subject (RFC 4514).
    case certificate(subject: String)
    /// There is no token, and the listener is on loopback.
    case loopback

    /// For the audit.
    var text: String {
        switch self {
        case .token: "token"
        case .certificate(let subject): "certificate \(subject)"
        case .loopback: "loopback"
        }
    }
}
