/// What would have been refused.
package struct ObservedRefusal {
    package var refusal: Refusal
    /// The line in tenants.yaml of the rule or the tenant that is only observed.
    package var line: Int
}
