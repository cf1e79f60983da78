import ConfigurationText
import TestSupport
import Verification

@testable import Tenants

/// Texts of tenants.yaml and those that requests are compared with.
enum TenantsFuzz {
    static let targets = [file, composition, scalars, addresses, pathPatterns]

    /// Changes of a comment leave a file good, so that not every input is a mistake.
    private static let comment = String(repeating: "# a comment that says nothing of the tenants below\n", count: 30)

    static let file = FuzzTarget(
        "tenants-yaml",
        texts: [
            comment + Sample.tenant(more: "access:\n  - { path: /a/**, allow: anyone }\n"),
            comment + Sample.tenant(auth: "from: [bearer, { cookie: s }]", more: "limits: { body_bytes: 10MiB }\n"),
            comment + Sample.gateway("listen: [127.0.0.1:8080]\n"),
        ],
        words: [
            "&a ", "*a", "<<: ", "!!binary ", "? ", "---\n", "${NAME}", "$${", "{ ", "[", "\t", "\"\\u0000\"",
            "version: 2\n",
        ],
        quickInputs: 300
    ) { bytes in
        let result = TenantsFile.read(text: bytes, path: "t.yaml", environment: ["NAME": "x"], files: PretendFiles())
        try hold(
            (result.configuration == nil) == !result.errors.isEmpty,
            "neither a configuration nor a mistake, or both"
        )
        guard let configuration = result.configuration else { return false }
        let again = TenantsFile.read(text: bytes, path: "t.yaml", environment: ["NAME": "x"], files: PretendFiles())
        try hold(
            again.configuration?.tenants.map(\.name) == configuration.tenants.map(\.name),
            "read another way again"
        )
        return true
    }

    /// tenants.yaml, a file that it includes and a tenant of the store, with the separator between them.
    static let composition = FuzzTarget(
        "tenants-composition",
        texts: [
            comment + """
                version: 1
                include: [d/*.yaml]
                templates:
                  a: &a { backend: { servers: [http://127.0.0.1:9001] }, mode: observe }
                  b: { extends: a, mode: null, <<: *a }
                tenants:
                  shop: { extends: b, hosts: [shop.test], authenticate: { issuers: [\(Sample.issuer)] } }
                \u{1e}
                templates: { c: { extends: b, authenticate: { issuers: [\(Sample.issuer)] } } }
                tenants: { bank: { extends: c, hosts: [bank.test], backend: { timeouts: { connect: 1s } } } }
                \u{1e}
                { extends: c, hosts: [far.test] }
                """
        ],
        words: ["extends: ", "null", "<<: ", "&a ", "*a", "[*a, *a]", "c", "b", "shop", "\u{1e}", "{ ", "templates: "],
        quickInputs: 300
    ) { bytes in
        let parts = bytes.split(separator: 0x1e, omittingEmptySubsequences: false).map(Array.init)
        let result = compose(parts)
        try hold(
            (result.configuration == nil) == !result.errors.isEmpty,
            "neither a configuration nor a mistake, or both"
        )
        try hold(result.diagnostics.allSatisfy { result.files.contains($0.file) }, "a mistake in no file")
        for tenant in result.leftOut {
            try hold(tenant.diagnostics.contains { $0.severity == .error }, "left out without a mistake")
        }
        guard let configuration = result.configuration else { return false }
        let names = configuration.tenants.map(\.name)
        try hold(Set(names).count == names.count, "two tenants of one name")
        try hold(!names.contains { name in result.leftOut.contains { $0.name == name } }, "left out and there")
        try hold(compose(parts).configuration?.tenants == configuration.tenants, "read another way again")
        try hold(
            KeyChanges(from: configuration.document, to: compose(parts).configuration?.document) == KeyChanges(),
            "changed by itself"
        )
        return true
    }

    private static func compose(_ parts: [[UInt8]]) -> ReadResult {
        var files = PretendFiles()
        if parts.count > 1 { files.files["d/a.yaml"] = parts[1] }
        let tenants = parts.dropFirst(2).prefix(1).map {
            TenantSource(name: "far", text: String(decoding: $0, as: UTF8.self))
        }
        return TenantsFile.read(
            text: parts.first ?? [],
            path: "t.yaml",
            environment: ["NAME": "x"],
            files: files,
            further: FurtherTenants(tenants, faults: .leaveOut)
        )
    }

    static let scalars = FuzzTarget(
        "durations-and-sizes",
        texts: ["500ms", "30s", "24h", "7d", "64KiB", "1GiB", "512B", "007s"],
        words: ["ms", "KiB", "-", "GiB", "\u{661}", "\u{301}"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let duration = try? ScalarText.duration(text)
        let size = try? ScalarText.size(text)
        try hold(duration.map { $0 >= .zero } ?? true, "a duration below zero")
        try hold(size.map { $0 >= 0 } ?? true, "a size below zero")
        if let duration { try hold((try? ScalarText.duration(duration.shown)) == duration, "shown as another") }
        return duration != nil || size != nil
    }

    static let addresses = FuzzTarget(
        "addresses",
        texts: ["192.0.2.1", "2001:db8::1", "::ffff:10.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::", "1:2:3:4:5:6:7:8"],
        words: ["::", ":", ".", "/0", "/129", "%eth0", "::ffff:", "/128"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = IPAddress(text) {
            try hold([4, 16].contains(address.bytes.count), "of \(address.bytes.count) bytes")
            let own = AddressRange(base: address, prefixLength: address.bytes.count * 8)
            try hold(own.contains(address), "not in its own range")
        }
        guard let range = AddressRange(cidr: text) else { return IPAddress(text) != nil }
        try hold((0...range.base.bytes.count * 8).contains(range.prefixLength), "a prefix of \(range.prefixLength)")
        try hold(range.contains(range.base), "a range without its first address")
        return true
    }

    static let pathPatterns = FuzzTarget(
        "path-patterns",
        texts: ["/", "/a/*/b", "/a/**", "/**", "/a/b/"],
        words: ["/*", "/**", "//", "/..", "/%61"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let pattern = try? PathPattern(text) else { return false }
        try hold(pattern.covers(pattern), "does not cover itself")
        // The pattern with a name for each `*` is one of its paths.
        let segments = pattern.description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let path = segments.map {
            $0.elementsEqual("*".utf8) || $0.elementsEqual("**".utf8) ? Array("x".utf8) : Array($0)
        }
        let bytes = Array(path.joined(separator: [UInt8(ascii: "/")]))
        try hold(pattern.matches(bytes.span), "does not match \(String(decoding: bytes, as: UTF8.self))")
        return true
    }
}
