import Glibc

/// A run of one target.
package struct FuzzRun {
    /// An input that broke a rule, as short as it could be made.
    package struct Finding: CustomStringConvertible {
        package let target: String
        package let input: [UInt8]
        package let rule: String

        package var description: String {
            let bytes = input.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0x0\(digits)" : "0x\(digits)"
            }
            return """
                \(target): \(rule)
                The input, to be put into the findings of the target:
                [\(bytes.joined(separator: ", "))]
                As text: \(String(decoding: input, as: UTF8.self).debugDescription)
                """
        }
    }

    package private(set) var finding: Finding?
    package private(set) var inputs = 0
    /// How many of the inputs the code under test accepted.
    package private(set) var accepted = 0

    /// Inputs made from other inputs that were accepted; they replace each other.
    private static let mostKept = 256
    private let target: FuzzTarget
    private var kept: [[UInt8]] = []
    private var isOfOneInput = false

    /// Runs the target as the environment says (``FuzzSettings``), up to the first finding.
    package init(_ target: FuzzTarget) {
        self.target = target
        let settings = FuzzSettings()
        guard settings.target == nil || settings.target == target.name else { return }
        if let path = settings.input {
            isOfOneInput = true
            guard let input = FuzzInputFile.content(of: path) else {
                finding = Finding(target: target.name, input: [], rule: "\(path) cannot be read")
                return
            }
            check(input)
            print("fuzz \(target.name): \(path) was \(accepted == 1 ? "accepted" : "refused")")
            return
        }
        var random = SplitMix64(seed: Self.seed(settings, target.name))
        for input in target.findings + target.seeds {
            check(input)
            if finding != nil { return }
        }
        guard let seconds = settings.seconds else {
            while finding == nil, inputs < target.quickInputs { checkNext(&random) }
            return
        }
        if settings.looksForGrowth {
            searchGrowth(.seconds(seconds), &random)
        } else {
            runLong(.seconds(seconds), settings, &random)
        }
    }

    /// Whether enough inputs were accepted for the rules to have meant something.
    package var isMeaningful: Bool { isOfOneInput || accepted * 100 >= inputs }

    private mutating func searchGrowth(_ duration: Duration, _ random: inout SplitMix64) {
        let search = GrowthSearch(target: target)
        let end = ContinuousClock.now + duration
        var shapes = 0
        var steep: [String] = []
        while steep.count < 5, ContinuousClock.now < end {
            shapes += 1
            if let growth = try? search.next(&random) { steep.append(growth) }
        }
        print("fuzz \(target.name): the growth of \(shapes) shapes, \(steep.count) too steep")
        fflush(nil)
        if !steep.isEmpty {
            finding = Finding(target: target.name, input: [], rule: steep.joined(separator: "\n"))
        }
    }

    private mutating func runLong(_ duration: Duration, _ settings: FuzzSettings, _ random: inout SplitMix64) {
        let file = settings.folder.flatMap { FuzzInputFile(folder: $0, target: target.name) }
        let end = ContinuousClock.now + duration
        while finding == nil, ContinuousClock.now < end {
            for _ in 0..<100 where finding == nil { checkNext(&random, file) }
        }
        print(
            "fuzz \(target.name): \(inputs) inputs, \(accepted) accepted, \(finding == nil ? "no finding" : "a finding")"
        )
        fflush(nil)
    }

    private static func seed(_ settings: FuzzSettings, _ name: String) -> UInt64 {
        if settings.seconds == nil {
            return name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        }
        let seed = settings.seed ?? UInt64.random(in: .min ... .max)
        print("fuzz \(name): FUZZ_SEED=\(seed)")
        fflush(nil)
        return seed
    }

    private mutating func checkNext(_ random: inout SplitMix64, _ file: FuzzInputFile? = nil) {
        let first = base(&random)
        let input = FuzzMutator(words: target.words).mutated(first, base(&random), &random)
        file?.write(input)
        guard check(input) else { return }
        if kept.count < Self.mostKept {
            kept.append(input)
        } else {
            kept[Int.random(in: 0..<Self.mostKept, using: &random)] = input
        }
    }

    private func base(_ random: inout SplitMix64) -> [UInt8] {
        let isKept = Bool.random(using: &random)
        return (isKept ? kept.randomElement(using: &random) : nil) ?? target.seeds.randomElement(using: &random) ?? []
    }

    @discardableResult
    private mutating func check(_ input: [UInt8]) -> Bool {
        inputs += 1
        do {
            guard try target.check(input) else { return false }
            accepted += 1
            return true
        } catch {
            let shortest = shortened(input)
            finding = Finding(target: target.name, input: shortest, rule: rule(brokenBy: shortest) ?? "\(error)")
            return false
        }
    }

    private func rule(brokenBy input: [UInt8]) -> String? {
        do {
            _ = try target.check(input)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Takes out what is not needed for a rule to be broken: halves first, then single bytes.
    private func shortened(_ input: [UInt8]) -> [UInt8] {
        var shortest = input
        var size = max(1, input.count / 2)
        while size > 0 {
            var start = 0
            while start < shortest.count {
                var shorter = shortest
                shorter.removeSubrange(start..<min(start + size, shorter.count))
                if rule(brokenBy: shorter) != nil { shortest = shorter } else { start += size }
            }
            size /= 2
        }
        return shortest
    }
}
