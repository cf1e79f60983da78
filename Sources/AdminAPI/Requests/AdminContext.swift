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
