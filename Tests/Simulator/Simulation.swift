import AggregatorCore
import Recordings
import Services
import Synchronization

/// One history: nights of a service, a person and processes, and what is known to be true of them.
///
/// Unchecked, because the compiler cannot see that `Scheduler` runs all of it on one thread.
final class Simulation: @unchecked Sendable {
  let scenario: Scenario
  let traits: Traits
  let service: Service
  let clock = TestClock(at: Moment(secondsSinceEpoch: 1_790_000_000))
  let store = StoreInMemory()
  private let requests = RequestsInMemory()
  private let recording: Recording?
  /// The steps that happened, if somebody will read them.
  private(set) var log: [String] = []
  private let isTold: Bool
  /// A digest of all answers and of what was stored after each step.
  private(set) var results = Fingerprint()

  private var description = Description()
  /// True once a person has corrected which list is read, until a sync is whole again.
  private(set) var isOtherList = false
  private var key = 0
  /// The records that were shown when the step began.
  var shown: [String: LooseRecord] = [:]
  var deleted: Set<String> = [] { didSet { everDeleted.formUnion(deleted) } }
  private(set) var everDeleted: Set<String> = []
  var imported: [String: String] = [:]
  var renamed: [String: Renaming] = [:]
  /// True when a person has corrected the type of the size to one as which some stored values cannot be read.
  var hasCorrectedSize = false
  /// The records that `next` has given since the last reset, and at any time.
  var given: Set<String> = []
  var everGiven: Set<String> = []
  /// The number of changes at which `next` began to read the list; nil before that.
  var reading: Int?
  /// True once a person has said that the records that did not come are gone.
  private(set) var hasAcceptedGone = false
  /// True when a killed process may have taken records that it never showed.
  var mayHaveTaken = false
  /// The number of changes at which each sync began.
  var begun: [Int: Int] = [:]
  /// The numbers of the syncs that got answers which said that they are not everything.
  var partialSyncs: Set<Int> = []
  /// The times that walks with a whole list took.
  var wholes: [ClosedRange<Int>] = []
  var past: [PastList] = []
  /// The list after the last complete sync, and the number of the last change that was noted then.
  var told: (names: [String: Value], change: Int)?

  /// A person's name for a record, in place of the service's.
  struct Renaming {
    let name: String
    let tick: Int
    /// False once another list was read, which has names of its own.
    var isSure = true
  }

  /// A whole list as it was stored at some moment.
  struct PastList {
    let moment: Moment
    let names: [String: Value]
    /// The records that were deleted then.
    let deleted: Set<String>
  }

  init(_ scenario: Scenario, recording: Recording? = nil, isTold: Bool = false) {
    self.scenario = scenario
    (self.recording, self.isTold) = (recording, isTold)
    traits = Traits(scenario)
    service = Service(traits, scenario.dice("rows"), most: scenario.rows)
    log.append("\(traits.way.rawValue), end \(traits.end.rawValue), size \(traits.size), limit \(traits.limit), \(service.rows.map(\.id))")
    if isTold { service.hear = { [unowned self] (text: () -> String) in note("    " + text()) } }
    log.append(traits.hazards.map(\.rawValue).sorted().joined(separator: " "))
  }

  func has(_ hazard: Hazard) -> Bool { traits.has(hazard) }

  /// Plays the history to its end. Throws what law was broken.
  func play() throws {
    for step in 0..<scenario.steps where !scenario.skipping.contains(step) {
      try Scheduler.run(scenario.dice("tasks", step), clock) { try await self.act(step) }
    }
    try Scheduler.run(scenario.dice("tasks", -1), clock) { try await self.rest() }
  }

  // MARK: Processes

  /// The source of each description so far, with its settings: to read a manifest takes longer than a step.
  private static let sources = Mutex<[String: (source: Source<LooseRecord>, settings: [Setting])]>([:])

  /// The manifest as the person has it now.
  var manifestText: String { traits.manifest(description) }

  private func described() throws -> (source: Source<LooseRecord>, settings: [Setting]) {
    let text = manifestText
    let mirrorText = has(.mirrors) ? traits.mirrorManifest(description) : nil
    let key = text + (mirrorText ?? "")
    return try Self.sources.withLock { known in
      if let source = known[key] { return source }
      let manifest = try Manifest(Array(text.utf8), file: "shop.json")
      if known.count > 5_000 { known.removeAll() }
      let mirror = try mirrorText.map { try Manifest(Array($0.utf8), file: "mirror.json") }
      let source = try mirror.map { try mirrored(manifest, by: $0) } ?? manifest.source("things")
      let described = (source, manifest.settings + (mirror?.settings.filter { $0.name == "MIRROR_URL" } ?? []))
      known[key] = described
      return described
    }
  }

  /// Returns the source of a manifest, with the service of another one that answers in its place.
  private func mirrored(_ manifest: Manifest, by mirror: Manifest) throws -> Source<LooseRecord> {
    let (source, other) = (try manifest.description(of: "things"), try mirror.description(of: "mirror"))
    let schema = try source.schema()
    return Source(
      "things", "Things", of: schema, settings: manifest.settings, rules: manifest.rules(of: source),
      live: { world in Fallback(try manifest.live(source, in: world), to: [try mirror.live(other, in: world)]) })
  }

  private var keyText: String { "KEY-\(key)-secret" }

  /// Opens the source in a process.
  func process(
    _ life: Life = Life(endingAt: nil), weather: SeededDice? = nil, rarity: Int = 0, error: Duration = .zero,
    offline isOffline: Bool = false, atOnce isAtOnce: Bool = false, sameAccount: Bool = true
  ) throws -> Process {
    let (source, settings) = try described()
    let clock = ProcessClock(clock: self.clock, error: error)
    let network = Network(service: service, life: life, clock: self.clock, weather: weather, rarity: rarity)
    let transport: any Transport = recording.map { network.through([Recorder($0, clock: clock)]) } ?? network
    var world = World(
      settings: Settings(declared: settings, flags: ["SHOP_KEY": keyText]), transport: transport,
      keepingIn: isAtOnce ? store : MortalStore(base: store, life: life), requestsIn: requests)
    world.clock = clock
    world.dice = scenario.dice("waits")
    world.patience = Patience(retries: traits.retries)
    world.terms.reach = isOffline ? .offline : .anywhere
    world.terms.isSameAccount = sameAccount
    return Process(life: life, clock: clock, source: try source.open(in: world))
  }

  // MARK: What happens

  func note(_ text: @autoclosure () -> String) {
    if isTold { log.append("\(clock.now.iso) \(text())") }
  }

  private func told(_ reports: [Report]) -> [Report] {
    for report in reports {
      note("\(report)")
      results.combine("\(report)")
    }
    return reports
  }

  private func act(_ number: Int) async throws {
    let dice = scenario.dice("step", number)
    clock.advance(by: .seconds(600 + dice.index(below: 40) * 3_600))
    for _ in 0..<dice.index(below: 4) {
      service.change(dice)
      note("the list is \(service.rows.map { "\($0.id)\($0.isBroken ? " broken" : "")" })")
    }
    try await touch(dice, number)
    let poison = scenario.dice("poison", number)
    if has(.poisonedRows), poison.index(below: 2) == 0, !service.rows.isEmpty {
      service.poisoned = poison.index(below: 4) == 0 ? nil : service.rows[poison.index(below: service.rows.count)].number
      note("the poisoned row is \(service.poisoned.map(String.init) ?? "none")")
    }
    service.hostsDown = []
    if has(.mirrors), poison.index(below: 2) == 0 { service.hostsDown.insert("shop.example") }
    if has(.mirrors), poison.index(below: 3) == 0 { service.hostsDown.insert("mirror.example") }
    service.saysPartial = has(.saysPartial) && poison.index(below: 4) == 0
    let isTogether = has(.together) && dice.index(below: 3) == 0
    service.unrest = has(.moves) && dice.index(below: 2) == 0 ? scenario.dice("unrest", number) : nil
    let rarity = [0, 0, 2, 5][dice.index(below: 4)]
    let verbs = isTogether ? [verb(dice), verb(dice)] : [verb(dice)]
    var processes: [(Process, Verb, Duration?)] = []
    for (index, verb) in verbs.enumerated() {
      let isKilled = has(.kills) && dice.index(below: 4) == 0
      let life = Life(endingAt: isKilled ? 1 + dice.index(below: 60) : nil)
      let error: Duration = has(.wrongClocks) && dice.index(below: 3) == 0 ? .seconds(dice.index(below: 3 * 86_400) - 86_400) : .zero
      let weather = scenario.dice("weather", number * 2 + index)
      let deadline: Duration? = has(.deadlines) && dice.index(below: 3) == 0 ? .seconds(1 + dice.index(below: 40)) : nil
      processes.append((try process(life, weather: weather, rarity: rarity, error: error), verb, deadline))
    }
    if verbs.contains(where: { if case .next = $0 { true } else { false } }) { reading = reading ?? service.tick }
    let reports = try await run(processes)
    service.unrest = nil
    try await check(told(reports))
  }

  private func run(_ processes: [(Process, Verb, Duration?)]) async throws -> [Report] {
    let reports = try await withThrowingTaskGroup(of: (Int, Report)?.self) { group in
      if has(.readers) {
        group.addTask {
          for _ in 0..<6 {
            for _ in 0..<9 { await Scheduler.pause() }
            try await self.look()
          }
          return nil
        }
      }
      for (index, (process, verb, deadline)) in processes.enumerated() {
        group.addTask {
          (index, await process.run(verb, until: deadline, of: self.service) { self.begun[$0] = self.begun[$0] ?? $1 })
        }
      }
      return try await group.reduce(into: [Int: Report]()) { if let (index, report) = $1 { $0[index] = report } }
    }
    for (process, _, _) in processes { await process.life.end(in: store) }
    return processes.indices.compactMap { reports[$0] }
  }

  private func verb(_ dice: SeededDice) -> Verb {
    switch dice.index(below: 10) {
    case 0, 1, 2, 3: .sync(full: dice.index(below: 4) == 0)
    case 4, 5: .list
    case 6: .search("\(dice.index(below: 10))")
    case 7, 8: .next(1 + dice.index(below: 6))
    default: has(.audits) ? .audit(seed: dice.index(below: 100)) : .sync(full: false)
    }
  }

  /// A person changes stored records, or the description.
  private func touch(_ dice: SeededDice, _ number: Int) async throws {
    let roll = dice.index(below: 12)
    guard roll < 8 else { return }
    let source = try process().source
    let archive = try source.stored
    let some = shown.keys.sorted()
    let id = some.isEmpty ? nil : some[dice.index(below: some.count)]
    switch roll {
    case 0 where has(.deletions):
      if let restored = deleted.min(), dice.index(below: 2) == 0 {
        _ = try await archive.restore(restored)
        deleted.remove(restored)
        note("restored \(restored)")
      } else if let id {
        try await archive.delete(id, at: clock.now)
        deleted.insert(id)
        shown[id] = nil
        note("deleted \(id)")
      }
    case 1 where has(.imports) && !isOtherList:
      let id = "\(100_000 + dice.index(below: 3))"
      guard !deleted.contains(id) else { return }
      let name = "Mine \(number)"
      try await bring(id, name, source)
      imported[id] = name
    case 2 where has(.renamings) && !isOtherList:
      guard let id, imported[id] == nil, !deleted.contains(id) else { return }
      let name = "Own \(number)"
      try await bring(id, name, source)
      renamed[id] = Renaming(name: name, tick: service.tick)
    case 3 where has(.corrections):
      description.list = description.list == "things" ? "others" : "things"
      (isOtherList, shown, given, reading) = (true, [:], [], nil)
      for id in renamed.keys { renamed[id]?.isSure = false }
      note("the list is \(description.list) now")
    case 4 where has(.corrections):
      description.sizeType = ["integer", "text", "number", "json"][dice.index(below: 4)]
      // Not every stored value can be read as a text or as JSON.
      hasCorrectedSize = hasCorrectedSize || ["text", "json"].contains(description.sizeType)
      note("the size is \(description.sizeType) now")
    case 5 where has(.renewedKeys): try await renewKey()
    case 6 where has(.resets):
      // Only a list that had ended is read again from its beginning.
      if (try? await archive.position())?.ended != nil { reading = nil }
      try await archive.reset()
      given = []
      note("reset")
    case 7 where has(.past): try await checkPast(dice, archive)
    default: break
    }
  }

  private func bring(_ id: String, _ name: String, _ source: any SourceSession<LooseRecord>) async throws {
    let record = try source.schema.read(JSON(Array(#"{"id":\#(id),"name":"\#(name)"}"#.utf8)))
    let fetch = Fetch(at: clock.now, request: Fetch.importing, place: "line 1")
    try await source.stored.land([record], from: fetch, rule: .imported(since: clock.now, replacing: true))
    note("imported \(id) as \(name)")
  }

  private func renewKey() async throws {
    key += 1
    service.key = keyText
    note("the key is \(keyText) now")
    guard !shown.isEmpty else { return }
    do {
      try await process(sameAccount: false).source.stored.checkOwner()
      throw Wrong("the records of another key are given to \(keyText)")
    } catch let error as SourceError where error.kind == .settings {}
    var walk = Walk(try process(offline: true, sameAccount: false).source.answering, clock: clock)
    do {
      while let page = try await walk.nextPage() {
        if let item = page.first { throw Wrong("the cached \(item.id) of another key is given to \(keyText)") }
      }
    } catch is SourceError {}
  }

  // MARK: The calm after it

  /// From now on nothing fails and nothing moves: every list ends whole within a few nights, or says why it cannot.
  private func rest() async throws {
    note("calm")
    (service.poisoned, service.saysPartial, service.hostsDown) = (nil, false, [])
    var last: SyncOutcome?
    for night in 0..<6 {
      clock.advance(by: .seconds(86_400))
      let reports = try await run([(try process(), .sync(full: false), nil)])
      try await check(told(reports))
      guard case .synced(let outcome) = reports[0].result else {
        guard !traits.isHonest else { throw Wrong("a sync of an honest service in a calm \(reports[0])") }
        continue
      }
      // What one night could not prove, the next one may; the third one would say the same.
      let isSettled = outcome.verdict == .complete || !traits.mayEndWhole && outcome.verdict.stored == last?.verdict.stored
      last = outcome
      if isSettled { break }
      if case .partial(.gone) = outcome.verdict {
        let source = try process().source
        let start = service.tick
        let outcome = try await Syncing(source.live, into: source.stored, clock: clock).run(
          .init(full: true, acceptingGone: true), beginning: { self.begun[$0.number] = self.begun[$0.number] ?? start })
        note("accepting gone: \(outcome.verdict.stored)")
        hasAcceptedGone = true
        last = outcome
      }
      guard night < 5 else { break }
    }
    let verdict = last?.verdict
    // A list of just as many rows as are asked for may be bounded by that, if nothing else shows its end.
    let mayBeUnverifiable = !imported.isEmpty || traits.endsByNext && service.rows.count == traits.size
    if traits.mayEndWhole, !traits.isUnverifiable, verdict != .complete, !(verdict == .unverifiable && mayBeUnverifiable) {
      throw Wrong("an honest list in a calm ends \(verdict?.stored ?? "without a verdict")")
    }
    if case .partial(let shortfall)? = verdict, shortfall.description.isEmpty { throw Wrong("a list is partial without a reason") }
    if traits.isHonest { try await readToEnd() }
  }

  /// After everything is stored, `next` gives each record that it has not given.
  private func readToEnd() async throws {
    for _ in 0..<20 {
      let reports = try await run([(try process(), .next(7), nil)])
      try await check(told(reports))
      guard case .taken(let items, _) = reports[0].result else { return }
      if items.isEmpty { break }
    }
    guard !mayHaveTaken, !isOtherList else { return }
    let skipped = Set(shown.keys).subtracting(everGiven)
    if !skipped.isEmpty { throw Wrong("next never gave \(skipped.sorted())") }
  }

  func note(_ stored: [String: LooseRecord], as verdict: Verdict?) {
    for (id, record) in stored.sorted(by: { $0.key < $1.key }) { results.combine("\(id) \(record.value)") }
    results.combine(verdict?.stored ?? "")
  }

  func endOtherList() { isOtherList = false }

  func name(of record: LooseRecord) -> Value { record.value["name"] ?? .null }

  var list: Description { description }
}
