import HTTPCore
import Hummingbird
import NIOCore

/// What is known of a request to the admin listener beside the request itself.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let requestID = RequestID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    /// Who asks; nil until ``AdminAccess`` has let them in.
    var caller: AdminCaller?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// By what somebody was let in at the admin listener.
enum AdminCaller: Sendable, Equatable {
    case token
    /// A client certificate with this subject (RFC 4514).
    case certificate(subject: String)
    /// There is no token, and the listener is on loopback.
    case loopback

    /// As the audit says it.
    var text: String {
        switch self {
        case .token: "token"
        case .certificate(let subject): "certificate \(subject)"
        case .loopback: "loopback"
        }
    }
}
