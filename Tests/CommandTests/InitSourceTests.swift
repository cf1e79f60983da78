import Testing

@testable import gatehouse

struct InitSourceTests {
    @Test(arguments: [
        ("a.conf", "*.conf", true), ("a.conf.old", "*.conf", false), ("a.conf", "a*f", true), ("ab", "a*b", true),
        ("a", "a*a", false), ("axbxc", "a*b*c", true), ("axc", "a*b*c", false), ("a", "a", true), ("b", "a", false),
        ("a", "*", true),
    ])
    func namesMatchPatterns(_ name: String, _ pattern: String, _ matches: Bool) {
        #expect(InitSource.matches(name, pattern) == matches)
    }
}
