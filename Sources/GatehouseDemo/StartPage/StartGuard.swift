import HTTPTypes
import Hummingbird

/// Keeps other sites' pages from pressing the buttons: only the start page itself may, as its browser says.
struct StartGuard: Sendable {
    private let origins: [String]

    init(port: Int) {
        origins = ["http://localhost:\(port)", "http://127.0.0.1:\(port)"]
    }

    /// - Returns: Why the request is refused; nil if it is the start page's.
    func refusal(of request: Request) -> String? {
        // Every browser names the origin of a POST (Fetch, section 3.2), also where a name leads to another address.
        guard let origin = request.headers[.origin], origins.contains(origin) else {
            return "only the start page may ask: send Origin: \(origins[0])"
        }
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == nil || site == "same-origin" else { return "only the start page may ask" }
        // Another site's page could only send it after a preflight, which is not answered.
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            return "send Content-Type: application/json"
        }
        return nil
    }
}
