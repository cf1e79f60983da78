import AdminAPI
import Hummingbird
import NIOCore

/// The start page: one document with its style and script, which are compiled into the program. It contains nothing
/// that was sent; its script gets all data from this server.
struct StartPage: Sendable {
    private let page = SelfContainedPage(
        html: String(decoding: PackageResources.start_html, as: UTF8.self),
        style: String(decoding: PackageResources.start_css, as: UTF8.self),
        script: String(decoding: PackageResources.start_js, as: UTF8.self)
    )

    var response: Response {
        Response(
            status: .ok,
            headers: page.fields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.html))
        )
    }
}
