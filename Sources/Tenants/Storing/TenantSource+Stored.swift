extension TenantSource {
    /// A tenant of the store.
    public static func stored(_ name: String, _ text: TenantText) -> TenantSource {
        TenantSource(name: name, label: label(of: name), text: Array(text.text.utf8))
    }

    /// What stands for the path of a file in positions of a stored tenant.
    public static func label(of name: String) -> String { "store:\(name)" }
}
