import HTTPTypes
import Hummingbird
import NIOCore

/// The dashboard's page. It needs no token: it holds nothing, and asks for the token itself.
struct DashboardRoutes: Sendable {
    private let page = DashboardPage()
    private let needsToken: @Sendable (AdminContext) async -> Bool

    /// - Parameter needsToken: Whether nothing but the token lets in whoever loads the page.
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
