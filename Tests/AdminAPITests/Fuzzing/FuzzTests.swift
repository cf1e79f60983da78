import TestSupport
import Testing

/// Each target briefly, from a fixed seed; `make fuzz` runs them for any time.
@Suite struct FuzzTests {
    @Test(arguments: AdminFuzz.targets)
    func noInputBreaksTheRules(of target: FuzzTarget) {
        let run = FuzzRun(target)
        if let finding = run.finding { Issue.record("\(finding)") }
        #expect(run.isMeaningful, "\(run.accepted) of \(run.inputs) were accepted")
    }
}
