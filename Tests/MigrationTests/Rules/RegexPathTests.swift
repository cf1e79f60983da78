import Testing

@testable import Migration

struct RegexPathTests {
    @Test(arguments: [
        ("^/health$", PathMatcher.exact("/health")), ("^/assets/", .prefix("/assets/")),
        ("^/assets/.*", .prefix("/assets/")), ("^/api(/|$)", .below("/api")), ("^/api(/.*)?$", .below("/api")),
        ("^\\/a\\.js$", .exact("/a.js")), ("^/orders/[^/]+/notes$", .pattern("/orders/*/notes")),
    ])
    func usualShapesAreRead(_ regex: String, _ matcher: PathMatcher) {
        let found = RegexPath.matcher(regex, isWhole: false)
        #expect(found.matcher == matcher && !found.isNarrower)
    }

    @Test func wholeMatchNeedsNoAnchors() {
        #expect(RegexPath.matcher("/health", isWhole: true) == (.exact("/health"), false))
        #expect(RegexPath.matcher("/assets/.*", isWhole: true) == (.prefix("/assets/"), false))
    }

    @Test(arguments: ["/health$", "^/robots.txt$"])
    func shapesThatMatchMoreAreNarrower(_ regex: String) {
        #expect(RegexPath.matcher(regex, isWhole: false).isNarrower)
    }

    @Test(arguments: [
        "(?i)^/a$", "^/a|^/b", "^/a[0-9]+$", "^/a+", "^/[^/]*$", "", ".*", "^/a(b)?$", "^/a\\d$", "^/(a|b)/",
    ])
    func otherShapesAreUntold(_ regex: String) {
        #expect(RegexPath.matcher(regex, isWhole: false) == (.untold(regex), true))
    }
}
