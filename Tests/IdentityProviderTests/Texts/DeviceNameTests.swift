import Testing

@testable import IdentityProvider
@testable import Localization

struct DeviceNameTests {
    @Test(
        arguments: [
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5"
                    + " Mobile/15E148 Safari/604.1",
                "Safari · iPhone"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
                    + " Edg/140.0",
                "Edge · Windows"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox · Linux"),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
                "Chrome · Android"
            ),
            ("Shop/7.1 (iPad; iOS 18)", "Shop · iPad"), ("curl/8.14.1", "curl"), ("Mozilla/5.0", nil), ("", nil),
            ("\u{202E}x\u{7}", "\u{202E}x"), (String(repeating: "y", count: 999), String(repeating: "y", count: 60)),
        ] as [(String, String?)]
    )
    func programAndSystemAreNamed(_ userAgent: String, _ name: String?) {
        #expect(DeviceName.text(of: userAgent) == name)
    }

    @Test func nothingIsSaidOfNothing() { #expect(DeviceName.text(of: nil) == nil) }
}
