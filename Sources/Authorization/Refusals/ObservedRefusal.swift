package import ConfigurationText
import Tenants

/// A refusal that was not enforced, in observe mode.
package struct ObservedRefusal {
    package var refusal: Refusal
    /// The line in tenants.yaml of the rule or tenant in observe mode.
    package var line: SourceLine
}
