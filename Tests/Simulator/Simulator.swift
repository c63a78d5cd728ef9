import AggregatorCore
import Platform
import Recordings

/// Plays histories, and minimises the first that breaks a law.
@main
struct Simulator {
  static func main() {
    guard let options = Options(CommandLine.arguments.dropFirst()) else { exit(64) }
    Scheduler.begin()
    let start = ContinuousClock.now
    var (played, failures, results) = (UInt64(0), 0, UInt64(0))
    for seed in options.seeds {
      let scenario = options.scenario(seed)
      played += 1
      if let failure = failure(scenario, addingTo: &results) {
        failures += 1
        print("FAILED seed \(seed): \(failure.wrong)")
        if !options.isQuick {
          let smaller = options.seeds.count == 1 ? scenario : minimised(scenario)
          report(smaller, failure)
          if let folder = options.folder { record(smaller, in: folder) }
        }
        if failures >= options.most { break }
      }
      if seed % 10_000 == 9_999 { print("\(seed + 1 - options.from) histories, \(seconds(since: start)) s") }
    }
    if options.isTold, let seed = options.seeds.first {
      let simulation = Simulation(options.scenario(seed), isTold: true)
      try? simulation.play()
      print(simulation.log.joined(separator: "\n"))
    }
    print("results \(results)")
    print("seeds \(options.from)..<\(options.from + played), \(seconds(since: start)) s")
    print("\(Int(played) - failures) passed, \(failures) failed")
    exit(failures == 0 ? 0 : 1)
  }

  static func seconds(since start: ContinuousClock.Instant) -> Int { Int(start.duration(to: .now).components.seconds) }

  static func failure(_ scenario: Scenario, isTold: Bool = false) -> (wrong: any Error, log: [String])? {
    var results: UInt64 = 0
    return failure(scenario, isTold: isTold, addingTo: &results)
  }

  /// Plays a history, and returns the law that it breaks. The digest of what came of it is added to `results`.
  static func failure(
    _ scenario: Scenario, isTold: Bool = false, addingTo results: inout UInt64
  ) -> (wrong: any Error, log: [String])? {
    let history = Simulation(scenario, isTold: isTold)
    defer { results &+= history.results.value }
    do {
      try history.play()
      return nil
    } catch {
      return (error, history.log)
    }
  }

  static func report(_ scenario: Scenario, _ failure: (wrong: any Error, log: [String])) {
    let failure = Simulator.failure(scenario, isTold: true) ?? failure
    print("  made smaller: \(failure.wrong)\n  \(failure.log.joined(separator: "\n  "))\n  again: Scripts/simulate \(scenario) --seeds 1")
  }

  /// Plays a history once more, and writes its requests and answers, with the manifest of the service, for `--replay`.
  static func record(_ scenario: Scenario, in folder: String) {
    let name = "seed-\(scenario.seed)"
    let recording = Recording(of: name, into: folder)
    let simulation = Simulation(scenario, recording: recording)
    try? simulation.play()
    do {
      let count = try recording.finish()
      try SystemFiles().replace("\(folder)/\(name).json", with: Array(simulation.manifestText.utf8), permissions: 0o644)
      print("  recorded: \(count) requests in \(recording.path), with the manifest \(folder)/\(name).json")
    } catch { print("  not recorded: \(error)") }
  }

  /// Leaves out hazards, steps and rows for as long as some law is still broken.
  static func minimised(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    func takes(_ change: (inout Scenario) -> Void) {
      var smaller = scenario
      change(&smaller)
      if failure(smaller) != nil { scenario = smaller }
    }
    for _ in 0..<2 {
      for step in (0..<scenario.steps).reversed() where !scenario.skipping.contains(step) { takes { $0.skipping.insert(step) } }
      for hazard in Hazard.allCases where scenario.hazards.contains(hazard) { takes { $0.without.insert(hazard) } }
    }
    for count in [0, 1, 2, 3, 5, 8] where scenario.rows == nil { takes { $0.rows = count } }
    return scenario
  }
}

/// The options of a line.
struct Options {
  var from: UInt64 = 0
  var count: UInt64 = 1_000
  var most = 1
  var without: Set<Hazard> = []
  var skipping: Set<Int> = []
  var rows: Int?
  var isTold = false
  /// The folder for recordings of failures; nil without recordings.
  var folder: String?
  /// True when a failure is not made smaller.
  var isQuick = false

  var seeds: Range<UInt64> { from..<from + count }

  func scenario(_ seed: UInt64) -> Scenario { Scenario(seed: seed, without: without, skipping: skipping, rows: rows) }

  init?(_ arguments: some Sequence<String>) {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--seeds": count = UInt64(value) ?? count
      case "--from": from = UInt64(value) ?? from
      case "--record": folder = value
      case "--quick": isQuick = value == "yes"
      case "--tell": isTold = value == "yes"
      case "--most": most = Int(value) ?? most
      case "--rows": rows = Int(value)
      case "--without": without = Set(value.split(separator: ",").compactMap { Hazard(rawValue: String($0)) })
      case "--skipping": skipping = Set(value.split(separator: ",").compactMap { Int($0) })
      default: return nil
      }
    }
  }
}
