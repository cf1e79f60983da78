/// Reads host names, `host:port` and the addresses of servers.
enum NetworkText {
    typealias Problem = ScalarText.Problem

    /// `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`.
    static func hostPort(_ text: String, defaultPort: Int? = nil, ports: ClosedRange<Int>) throws(Problem) -> HostPort {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else {
                throw Problem(remedy: "close the bracket of the IPv6 address")
            }
            host = text[text.index(after: text.startIndex)..<close]
            rest = text[text.index(after: close)...]
            guard host.contains(":"), IPAddress(String(host)) != nil else {
                throw Problem(remedy: "only an IPv6 address stands in brackets, like [::1]:8080")
            }
        } else {
            guard text.filter({ $0 == ":" }).count <= 1 else {
                throw Problem(remedy: "put an IPv6 address in brackets, like [::1]:8080")
            }
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<colon], text[colon...])
            guard !host.isEmpty else { throw Problem(remedy: "name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080") }
            try checkName(host.lowercased())
        }
        return HostPort(host: host.lowercased(), port: try port(rest, defaultPort, ports))
    }

    private static func port(_ text: Substring, _ standard: Int?, _ ports: ClosedRange<Int>) throws(Problem) -> Int {
        if text.isEmpty, let standard { return standard }
        let digits = text.dropFirst()
        guard text.first == ":", !digits.isEmpty, digits.utf8.count <= 5,
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let port = Int(digits)
        else { throw Problem(remedy: "end it with a colon and a port, like 127.0.0.1:8080") }
        guard ports.contains(port) else {
            throw Problem(remedy: "a port is a number from \(ports.lowerBound) to \(ports.upperBound)")
        }
        return port
    }

    /// An IPv4 address or a name of letters, digits, `-` and `_` (RFC 1123 section 2.1), in lower case.
    static func checkName(_ name: String) throws(Problem) {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Problem(remedy: "write an international name in punycode (xn--…)")
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else {
            throw Problem(remedy: "a name has labels of 1 to 63 characters between single dots, 253 together")
        }
        let isWellFormed = labels.allSatisfy { label in
            label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                    case UInt8(ascii: "-"), UInt8(ascii: "_"): true
                    default: false
                    }
                }
        }
        guard isWellFormed else { throw Problem(remedy: "a name has letters, digits, \"-\" and dots") }
        let isNumeric =
            labels.last.map { $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) } ?? false
        guard !isNumeric || IPAddress(name) != nil else {
            throw Problem(remedy: "an IPv4 address has four numbers from 0 to 255")
        }
    }

    /// A host of a tenant: exact, or with `*.` in the place of its first label.
    static func hostPattern(_ text: String) throws(Problem) -> HostPattern {
        guard !text.contains("/") else { throw Problem(remedy: "give the host alone, without a scheme or a path") }
        var name = text.lowercased()
        if name.hasPrefix("[") {
            guard name.hasSuffix("]"), name.contains(":"), IPAddress(String(name.dropFirst().dropLast())) != nil else {
                throw Problem(remedy: "give the host alone, without a port")
            }
            return .exact(name)
        }
        guard !name.contains(":") else { throw Problem(remedy: "give the host alone, without a port") }
        if name.hasSuffix(".") { name.removeLast() }
        guard name.hasPrefix("*.") else {
            guard !name.contains("*") else {
                throw Problem(remedy: "\"*\" stands only for the whole first label, like *.example.com")
            }
            try checkName(name)
            return .exact(name)
        }
        let parent = String(name.dropFirst(2))
        guard !parent.contains("*") else {
            throw Problem(remedy: "\"*\" stands only for the whole first label, like *.example.com")
        }
        try checkName(parent)
        return .oneLabelBelow(parent)
    }

    /// `http://host:port`, without a path.
    static func server(_ text: String) throws(Problem) -> (BackendServer.Scheme, HostPort) {
        guard let end = text.range(of: "://") else {
            throw Problem(remedy: "write it with its scheme, like http://127.0.0.1:9001")
        }
        guard let scheme = BackendServer.Scheme(rawValue: text[..<end.lowerBound].lowercased()) else {
            throw Problem(remedy: "the schemes are http, https and h2c")
        }
        var authority = text[end.upperBound...]
        guard !authority.contains("@") else {
            throw Problem(remedy: "leave user and password out; a backend is told of the caller by identity headers")
        }
        guard !authority.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Problem(remedy: "leave the query out; the request brings its own")
        }
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains("/") else {
            throw Problem(remedy: "leave the path out; the request brings its own")
        }
        let port = scheme == .https ? 443 : 80
        return (scheme, try hostPort(String(authority), defaultPort: port, ports: 1...65_535))
    }

    /// Whether `text` is a `token` of RFC 9110 section 5.6.2: a field name, a method, a cookie's name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
