import ConfigurationText

extension TenantSource {
    /// A tenant of the store.
    ///
    /// - Parameter writer: Of the text.
    public static func stored(_ name: String, _ text: TenantText, by writer: TenantWriter) -> TenantSource {
        TenantSource(name: name, text: text.text, writer: writer)
    }

    /// Lets go of the labels of tenants that are stored no more.
    ///
    /// - Parameter stored: All that are.
    public static func forgetLabels(besides stored: [TenantSource]) {
        DocumentSource.forget(prefix: label(of: ""), wanted: stored.count) { Set(stored.map(\.label)) }
    }

    /// What stands for the path of a file in positions of a stored tenant.
    public static func label(of name: String) -> String { "store:\(name)" }
}
