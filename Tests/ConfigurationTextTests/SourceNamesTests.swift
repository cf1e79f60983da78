import Testing
import Time

@testable import ConfigurationText

struct SourceNamesTests {
    private static func at(minutes: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + minutes * 60_000_000_000)
    }

    /// As many names as make a search worth while, and one file.
    private static func names(_ count: Int = 1200) -> SourceNames {
        var names = SourceNames()
        _ = names.number(of: "tenants.d/a.yaml")
        for number in 0..<count { _ = names.number(of: "store:t\(number)") }
        return names
    }

    @Test func nameKeepsItsNumber() {
        var names = SourceNames()
        let first = names.number(of: "a")
        #expect(names.number(of: "b") != first)
        #expect(names.number(of: "a") == first && first != 0)
        #expect(names.name(first) == "a")
    }

    @Test func namesThatNobodyWantsAreForgottenAfterTheGrace() {
        var names = Self.names()
        let (wanted, gone) = (names.number(of: "store:t7"), names.number(of: "store:t9"))
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 0)) { $0 == "store:t7" }
        let recent = names.number(of: "store:t8")
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 9)) { $0 == "store:t7" }
        #expect(names.count == 1201)
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 10)) { $0 == "store:t7" }
        #expect(names.count == 3)
        #expect(names.name(wanted) == "store:t7" && names.name(recent) == "store:t8" && names.name(gone) == nil)
    }

    @Test func graceBeginsAnewWhenANameWasWantedAgain() {
        var names = Self.names()
        names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: 0)) { _ in false }
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 5)) { $0 == "store:t7" }
        names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: 6)) { _ in false }
        names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: 10)) { _ in false }
        #expect(names.count == 2)
    }

    @Test func fewNamesAreKept() {
        var names = Self.names(900)
        for minute in [UInt64(0), 60] {
            names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: minute)) { _ in false }
        }
        #expect(names.count == 901)
    }

    @Test func numbersOfForgottenNamesAreUsedAgain() {
        var names = Self.names()
        for minute in [UInt64(0), 60] {
            names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: minute)) { _ in false }
        }
        for number in 0..<1200 { #expect(names.number(of: "store:n\(number)") <= 1201) }
        #expect(names.name(1) == "tenants.d/a.yaml")
        #expect(names.number(of: "store:one-more") == 1202)
    }
}
