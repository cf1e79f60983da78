import TestSupport
import Testing

@testable import SharedState

@Suite struct ProviderURLTests {
    @Test(arguments: [
        ("https://id.test", "https://id.test/"),
        ("https://ID.Test:443/a/b?c=d", "https://id.test/a/b?c=d"),
        ("HTTPS://id.test:8443?x", "https://id.test:8443/?x"),
        ("http://127.0.0.1:80/keys", "http://127.0.0.1/keys"),
        ("http://localhost:8080", "http://localhost:8080/"),
        ("http://[::1]:9000/keys", "http://[::1]:9000/keys"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]/"),
    ])
    func readsAddresses(_ text: String, _ canonical: String) {
        #expect(ProviderURL(text)?.text == canonical)
    }

    @Test(arguments: [
        "", "id.test", "ftp://id.test", "https://", "https:///keys", "https:/id.test", "http://id.test/keys",
        "http://127.0.0.1.id.test/", "http://127.0.0.256/", "http://localhost.id.test", "https://user@id.test",
        "https://id.test:0", "https://id.test:65536", "https://id.test:", "https://id.test:80x", "https://id.test#a",
        "https://id.test/a b", "https://id.test\\@evil.test/", "https://id.test/\u{e9}", "https://[::1",
        "https://[::1]x",
        "https://id.test/a\r\nb", "file:///etc/passwd", "https://id_%41.test",
    ])
    func refusesWhatIsNoAddressForKeys(_ text: String) {
        #expect(ProviderURL(text) == nil)
    }

    @Test(arguments: [
        ("/new", "https://id.test:8443/new"),
        ("new?x", "https://id.test:8443/a/new?x"),
        ("?x", "https://id.test:8443/a/b?x"),
        ("//other.test/k", "https://other.test/k"),
        ("https://id.test:8443/c#part", "https://id.test:8443/c"),
        ("http://id.test:8443/c", nil),
        ("ftp://id.test", nil),
        ("", nil),
    ])
    func redirectsAreReadFromWhereTheyStart(_ location: String, _ target: String?) {
        #expect(ProviderURL("https://id.test:8443/a/b?q")?.redirected(to: location)?.text == target)
    }

    @Test func schemeHostAndPortMakeAnOrigin() throws {
        let url = try #require(ProviderURL("http://localhost:8080/a"))
        for (other, isSame) in [
            ("http://localhost:8080/b?c", true), ("https://localhost:8080/a", false), ("http://localhost:81/a", false),
            ("http://127.0.0.1:8080/a", false),
        ] {
            #expect((url.origin == (try #require(ProviderURL(other))).origin) == isSame)
        }
    }
}
