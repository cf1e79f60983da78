import ConfigurationText

/// Reads host names, `host:port` and the addresses of servers.
enum NetworkText {

    /// `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`.
    static func hostPort(_ text: String, defaultPort: Int? = nil, ports: ClosedRange<Int>) throws(Remedy) -> HostPort {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { throw Remedy("close the bracket of the IPv6 address") }
            host = text[text.index(after: text.startIndex)..<close]
            rest = text[text.index(after: close)...]
            guard host.contains(":"), IPAddress(String(host)) != nil else {
                throw Remedy("only an IPv6 address stands in brackets, like [::1]:8080")
            }
        } else {
            guard text.filter({ $0 == ":" }).count <= 1 else {
                throw Remedy("put an IPv6 address in brackets, like [::1]:8080")
            }
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<colon], text[colon...])
            guard !host.isEmpty else { throw Remedy("name the host too, like 127.0.0.1:8080") }
            try checkName(host.lowercased())
        }
        return HostPort(host: host.lowercased(), port: try port(rest, defaultPort, ports))
    }

    private static func port(_ text: Substring, _ defaultPort: Int?, _ ports: ClosedRange<Int>) throws(Remedy) -> Int {
        if text.isEmpty, let defaultPort { return defaultPort }
        let digits = text.dropFirst()
        guard text.first == ":", !digits.isEmpty, digits.utf8.count <= 5,
            digits.utf8.allSatisfy(\.isDigit), let port = Int(digits)
        else { throw Remedy("end it with a colon and a port, like 127.0.0.1:8080") }
        guard ports.contains(port) else {
            throw Remedy("a port is a number from \(ports.lowerBound) to \(ports.upperBound)")
        }
        return port
    }

    /// An IPv4 address or a name of letters, digits, `-` and `_` (RFC 1123 section 2.1), in lower case.
    static func checkName(_ name: String) throws(Remedy) {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Remedy("write an international name in punycode (xn--…)")
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }) else {
            throw Remedy("a name has labels of 1 to 63 characters between single dots, 253 together")
        }
        let isWellFormed = labels.allSatisfy { label in
            label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
        }
        guard isWellFormed else { throw Remedy("a name has letters, digits, \"-\" and dots") }
        guard labels.last?.utf8.allSatisfy(\.isDigit) != true || IPAddress(name) != nil else {
            throw Remedy("an IPv4 address has four numbers from 0 to 255")
        }
    }

    /// A host of a tenant: exact, or with `*.` for its first label.
    static func hostPattern(_ text: String) throws(Remedy) -> HostPattern {
        guard !text.contains("/") else { throw Remedy("give the host alone, without a scheme or a path") }
        var name = text.lowercased()
        if name.hasPrefix("[") {
            guard name.hasSuffix("]"), name.contains(":"), IPAddress(String(name.dropFirst().dropLast())) != nil else {
                throw Remedy("give the host alone, without a port")
            }
            return .exact(name)
        }
        guard !name.contains(":") else { throw Remedy("give the host alone, without a port") }
        if name.hasSuffix(".") { name.removeLast() }
        guard name.hasPrefix("*.") else {
            guard !name.contains("*") else {
                throw Remedy("\"*\" stands only for the whole first label, like *.example.com")
            }
            try checkName(name)
            return .exact(name)
        }
        let parent = String(name.dropFirst(2))
        guard !parent.contains("*") else {
            throw Remedy("\"*\" stands only for the whole first label, like *.example.com")
        }
        try checkName(parent)
        return .oneLabelBelow(parent)
    }

    /// `http://host:port`, without a path.
    static func server(_ text: String) throws(Remedy) -> (BackendServer.Scheme, HostPort) {
        guard let end = text.range(of: "://") else {
            throw Remedy("write it with its scheme, like http://127.0.0.1:9001")
        }
        guard let scheme = BackendServer.Scheme(rawValue: text[..<end.lowerBound].lowercased()) else {
            throw Remedy("the schemes are http, https and h2c")
        }
        var authority = text[end.upperBound...]
        guard !authority.contains("@") else {
            throw Remedy("leave user and password out; identity headers tell the backend who the caller is")
        }
        guard !authority.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Remedy("leave the query out; the request brings its own")
        }
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains("/") else { throw Remedy("leave the path out; the request brings its own") }
        let port = scheme == .https ? 443 : 80
        return (scheme, try hostPort(String(authority), defaultPort: port, ports: 1...65_535))
    }

    /// Whether `text` is a `token` of RFC 9110 section 5.6.2: a field name, a method, a cookie's name.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetterDigit(or: "!#$%&'*+-.^_`|~") }
    }

    /// A method and a path, separated by spaces, like `POST /logout`. The path is not checked.
    static func methodAndPath(_ text: String, example: String) throws(Remedy) -> (method: String, path: String) {
        let method = String(text.prefix { $0 != " " })
        let path = String(text.dropFirst(method.count).drop { $0 == " " })
        guard !path.isEmpty, !method.hasPrefix("/") else { throw Remedy("write it like \(example)") }
        guard isToken(method) else { throw Remedy("begin it with a method like GET or POST") }
        return (method, path)
    }

    /// Visible ASCII without the characters that RFC 3986 does not allow anywhere in a URL.
    static func checkURLCharacters(_ text: String) throws(Remedy) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw Remedy("percent-encode the characters that no URL holds")
        }
    }
}
