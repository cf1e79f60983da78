/// Queries, fields and bodies of these hold tokens, codes and secrets: nothing that prints a request shows them.
extension ProviderRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(url.prefix { $0 != "?" && $0 != "#" })" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The body may be tokens.
extension ProviderResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status), \(body.count) bytes" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
