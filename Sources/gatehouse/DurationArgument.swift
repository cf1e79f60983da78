import ArgumentParser

/// A duration on the command line, as in tenants.yaml: `30s`, `5m`, `24h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Int

    init?(argument: String) {
        let factors: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last, let factor = factors[unit],
            argument.dropLast().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(argument.dropLast())
        else { return nil }
        let (seconds, isTooLong) = count.multipliedReportingOverflow(by: factor)
        guard !isTooLong, seconds <= 100 * 365 * 86_400 else { return nil }
        self.seconds = seconds
    }
}
