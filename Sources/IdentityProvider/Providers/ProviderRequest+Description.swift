/// Queries, fields and bodies of these hold tokens, codes and secrets: printing a request omits them.
extension ProviderRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(url.prefix { $0 != "?" && $0 != "#" })" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The body may contain tokens.
extension ProviderResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status), \(body.count) bytes" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
