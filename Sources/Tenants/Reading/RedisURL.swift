import ConfigurationText
import Verification

/// The parts of a Redis address: `redis://[user:pass@]host:port/db`, or with Sentinels
/// `redis+sentinel://[user:pass@]host:port,host:port/master/db`; options follow after `?`.
struct RedisURL: Equatable {

    enum Scheme: String, CaseIterable {
        case redis
        case rediss
        case redisSentinel = "redis+sentinel"
        case redissSentinel = "rediss+sentinel"

        var isSecure: Bool { self == .rediss || self == .redissSentinel }
        var isSentinel: Bool { self == .redisSentinel || self == .redissSentinel }
    }

    enum Option: String, CaseIterable {
        case caFile = "ca_file"
        case certificateFile = "certificate_file"
        case keyFile = "key_file"
        case serverName = "server_name"
        case sentinelUser = "sentinel_user"
        case sentinelPassword = "sentinel_password"

        var isForSentinel: Bool { self == .sentinelUser || self == .sentinelPassword }
    }

    private static let encoding = "in user and password write \"/\" as %2F, \"?\" as %3F, \"#\" as %23 and \"@\" as %40"

    var scheme: Scheme
    var endpoints: [HostPort] = []
    var master: String?
    var user: String?
    var password: String?
    var database = 0
    var options: [Option: String] = [:]

    /// - Parameter text: Begins with the scheme and `://`.
    /// - Throws: What to write instead, without anything of `text`.
    init(_ text: String, _ scheme: Scheme) throws(Remedy) {
        self.scheme = scheme
        guard !text.contains("#") else { throw Remedy("leave \"#\" out; \(Self.encoding)") }
        let rest = text.dropFirst(scheme.rawValue.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        guard !tail.contains("@") else { throw Remedy(Self.encoding) }
        try readAuthority(authority)
        try readPath(path)
        if path.endIndex < tail.endIndex { try readOptions(tail[path.endIndex...].dropFirst()) }
    }

    private mutating func readAuthority(_ text: Substring) throws(Remedy) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let hosts = parts.last else { throw Remedy(Self.encoding) }
        if parts.count == 2 { try readUser(parts[0]) }
        let names = hosts.split(separator: ",", omittingEmptySubsequences: false)
        guard scheme.isSentinel || names.count == 1 else {
            throw Remedy("several hosts are Sentinels: write redis+sentinel://, or name one")
        }
        for name in names {
            let port = scheme.isSentinel ? 26_379 : 6379
            let endpoint = try NetworkText.hostPort(String(name), defaultPort: port, ports: 1...65_535)
            guard !endpoints.contains(endpoint) else { throw Remedy("leave the host out that is there twice") }
            endpoints.append(endpoint)
        }
    }

    private mutating func readUser(_ text: Substring) throws(Remedy) {
        guard let colon = text.firstIndex(of: ":") else {
            throw Remedy("before the \"@\" write user:password, or :password for the user \"default\"")
        }
        let name = try Self.decoded(text[..<colon])
        let secret = try Self.decoded(text[text.index(after: colon)...])
        guard !secret.isEmpty else {
            throw Remedy("the password is empty; fill it in")
        }
        user = name.isEmpty ? nil : name
        password = secret
    }

    private mutating func readPath(_ text: Substring) throws(Remedy) {
        var parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if scheme.isSentinel {
            let name = parts.isEmpty ? "" : parts.removeFirst()
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isInMasterName) else {
                throw Remedy("name the master after the Sentinels, like …:26379/mymaster/0")
            }
            master = String(name)
        }
        let number = parts.isEmpty ? "" : parts.removeFirst()
        guard parts.isEmpty else { throw Remedy("end it with the database's number, like …/0") }
        guard !number.isEmpty else { return }
        guard number.utf8.allSatisfy(\.isDigit), let value = Int(number) else {
            throw Remedy("end it with the database's number, like …/0")
        }
        database = value
    }

    /// Whether Redis allows the character in a master's name.
    private static func isInMasterName(_ byte: UInt8) -> Bool {
        byte.isLetterDigit(or: ".-_")
    }

    private mutating func readOptions(_ text: Substring) throws(Remedy) {
        for part in text.split(separator: "&", omittingEmptySubsequences: false) {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            let name = String(part[..<equals])
            guard let option = Option(rawValue: name) else { throw Self.unknown(name) }
            guard options[option] == nil else { throw Remedy("leave the second \"\(option.rawValue)\" out") }
            let value = try Self.decoded(part[equals...].dropFirst())
            guard !value.isEmpty else { throw Remedy("\"\(option.rawValue)\" is empty, fill it in") }
            guard !option.isForSentinel || scheme.isSentinel else {
                throw Remedy("\"\(option.rawValue)\" is for Sentinels only, leave it out")
            }
            guard option.isForSentinel || scheme.isSecure else {
                let secure = scheme.isSentinel ? Scheme.redissSentinel : .rediss
                throw Remedy("\"\(option.rawValue)\" is for TLS: write \(secure.rawValue)://")
            }
            options[option] = value
        }
        if options[.sentinelUser] != nil, options[.sentinelPassword] == nil {
            throw Remedy("\"sentinel_user\" goes with \"sentinel_password\": add it")
        }
    }

    /// Does not show the name: it may be the end of a password with a bare "?".
    private static func unknown(_ name: String) -> Remedy {
        let known = Option.allCases.map(\.rawValue)
        if let nearest = EditDistance.nearest(to: name, among: known) {
            return Remedy("an option is unknown, did you mean \"\(nearest)\"?")
        }
        return Remedy("an option is unknown, there are \(known.joined(separator: ", "))")
    }

    /// Percent-decodes (RFC 3986 section 2.1); a `+` stands for itself.
    private static func decoded(_ text: Substring) throws(Remedy) -> String {
        guard let bytes = PercentEncoding.decode(text.utf8) else {
            throw Remedy("write \"%\" itself as %25")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Remedy("what is percent-encoded must be UTF-8")
        }
        return decoded
    }
}
