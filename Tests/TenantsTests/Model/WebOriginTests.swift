import Tenants
import Testing

/// Origins in the form in which they are compared.
struct WebOriginTests {
    @Test(arguments: [
        ("https://App.example.com:443/a?b", "https://app.example.com"), ("http://a.test:80", "http://a.test"),
        ("https://a.test:80", "https://a.test:80"), ("https://:443", "https://:443"),
        ("https://:443:443", "https://:443:443"), ("https://a.test:443:443", "https://a.test:443:443"),
        ("nonsense", "nonsense"),
    ])
    func canonicalOriginIsItsOwnCanonicalForm(url: String, origin: String) {
        #expect(WebOrigin.canonical(url) == origin)
        #expect(WebOrigin.canonical(origin) == origin)
        let bytes = Array(origin.utf8)
        let isSame = WebOrigin.isSame(bytes.span, as: bytes)
        #expect(isSame)
    }
}
