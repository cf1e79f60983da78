/// What would have been refused.
struct ObservedRefusal {
    var refusal: Refusal
    /// The line in tenants.yaml of the rule or the tenant that is only observed.
    var line: Int
}
