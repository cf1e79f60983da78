import HTTPTypes
import Hummingbird
import NIOCore

/// Serves the dashboard's page. It needs no token: it has no data, and asks for the token itself.
struct DashboardRoutes: Sendable {
    private let page = DashboardPage()
    private let needsToken: @Sendable (AdminContext) async -> Bool

    /// - Parameter needsToken: Whether the client of a request needs the admin token.
    init(needsToken: @escaping @Sendable (AdminContext) async -> Bool) {
        self.needsToken = needsToken
    }

    func add(to router: Router<AdminContext>) {
        router.get("/") { _, context -> Response in
            let bytes = page.bytes(await needsToken(context) ? .token : .open)
            return Response(status: .ok, headers: page.fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
