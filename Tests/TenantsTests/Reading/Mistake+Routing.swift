extension Mistake {
    /// What is wrong with hosts, prefixes and servers.
    static let routing: [Mistake] = [
        Mistake(
            "hostWithPort",
            Sample.tenant(hosts: #"['shop.test:8080']"#),
            [
                #"4:13: "hosts" must hold host names, but "shop.test:8080" is none: give the host alone, without a port"#
            ]
        ),
        Mistake(
            "hostIsAURL",
            Sample.tenant(hosts: #"['https://shop.test']"#),
            [
                #"4:13: "hosts" must hold host names, but "https://shop.test" is none: give the host alone, without a scheme or a path"#
            ]
        ),
        Mistake(
            "wildcardInTheMiddle",
            Sample.tenant(hosts: #"['shop.*.test']"#),
            [
                #"4:13: "hosts" must hold host names, but "shop.*.test" is none: "*" stands only for the whole first label, like *.example.com"#
            ]
        ),
        Mistake(
            "partialWildcard",
            Sample.tenant(hosts: #"['*shop.test']"#),
            [
                #"4:13: "hosts" must hold host names, but "*shop.test" is none: "*" stands only for the whole first label, like *.example.com"#
            ]
        ),
        Mistake(
            "internationalHost",
            Sample.tenant(hosts: #"['büro.test']"#),
            [
                #"4:13: "hosts" must hold host names, but "büro.test" is none: write an international name in punycode (xn--…)"#
            ]
        ),
        Mistake(
            "hostTwiceInOneTenant",
            Sample.tenant(hosts: #"[shop.test, SHOP.test]"#),
            [
                #"4:24: "SHOP.test" is tenant "shop"'s already (line 4, column 13): give one of them another host or path_prefix"#
            ]
        ),
        Mistake(
            "hostOfAnotherTenant",
            Sample.tenant()
                + #"  other:\#n    hosts: [shop.test]\#n    backend: { servers: [http://127.0.0.1:9001] }\#n    authenticate: { issuers: ["#
                + #"{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }"#
                + #"] }\#n"#,
            [
                #"9:13: "shop.test" is tenant "shop"'s already (line 4, column 13): give one of them another host or path_prefix"#
            ]
        ),
        Mistake(
            "prefixWithoutSlash",
            Sample.tenant(more: #"path_prefix: shop"#),
            [
                #"8:18: "path_prefix" must be like /shop, but is "shop": begin it with "/""#
            ]
        ),
        Mistake(
            "prefixWithTrailingSlash",
            Sample.tenant(more: #"path_prefix: /shop/"#),
            [
                #"8:18: "path_prefix" must be like /shop, but is "/shop/": leave the "/" at the end out"#
            ]
        ),
        Mistake(
            "prefixWithDotSegment",
            Sample.tenant(more: #"path_prefix: /a/../b"#),
            [
                #"8:18: "path_prefix" must be like /shop, but is "/a/../b": leave empty and dot segments out; no request's path keeps them"#
            ]
        ),
        Mistake(
            "encodedPrefix",
            Sample.tenant(more: #"path_prefix: /a%20b"#),
            [
                #"8:18: "path_prefix" must be like /shop, but is "/a%20b": write it decoded, without wildcards, query or spaces"#
            ]
        ),
        Mistake(
            "stripWithoutPrefix",
            Sample.tenant(more: #"strip_prefix: true"#),
            [
                #"8:5: "strip_prefix" without "path_prefix": add the prefix, or leave it out"#
            ]
        ),
        Mistake(
            "observe",
            Sample.tenant(more: #"mode: observe"#),
            [
                #"8:11: warning: mode observe lets every request of "shop" through: use it for a migration only"#
            ]
        ),
        Mistake(
            "serverWithoutScheme",
            Sample.tenant(backend: #"{ servers: ['127.0.0.1:9001'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "127.0.0.1:9001": write it with its scheme, like http://127.0.0.1:9001"#
            ]
        ),
        Mistake(
            "serverWithUnknownScheme",
            Sample.tenant(backend: #"{ servers: ['ftp://127.0.0.1'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "ftp://127.0.0.1": the schemes are http, https and h2c"#
            ]
        ),
        Mistake(
            "serverWithPath",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1:9001/api] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "http://127.0.0.1:9001/api": leave the path out; the request brings its own"#
            ]
        ),
        Mistake(
            "serverWithPassword",
            Sample.tenant(backend: #"{ servers: ['http://u:canary@127.0.0.1:9001'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is a URL with a user or a password: leave user and password out; a backend is told of the caller by identity headers"#
            ]
        ),
        Mistake(
            "serverWithQuery",
            Sample.tenant(backend: #"{ servers: ['http://127.0.0.1:9001?x'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "http://127.0.0.1:9001?x": leave the query out; the request brings its own"#
            ]
        ),
        Mistake(
            "serverOnPortZero",
            Sample.tenant(backend: #"{ servers: ['http://127.0.0.1:0'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "http://127.0.0.1:0": a port is a number from 1 to 65535"#
            ]
        ),
        Mistake(
            "serverWithBadAddress",
            Sample.tenant(backend: #"{ servers: ['http://127.0.0.256'] }"#),
            [
                #"5:26: a server must be like http://127.0.0.1:9001, but is "http://127.0.0.256": an IPv4 address has four numbers from 0 to 255"#
            ]
        ),
    ]
}
