extension DraftTenant {
    /// Lets nobody in: something that is not known here may refuse any request, also of paths that need no token.
    mutating func close() {
        rules = [DraftRule(path: "/**", decision: .closed)]
    }
}
