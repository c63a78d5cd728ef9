import AggregatorCore
import Asking
import KeyFiles
import Platform
import PostgresStore
import Presentation
import Services
import Store
import Terminal

/// `doctor`: asks each service once, looks at the settings, the store and the terminal, and says what to type to mend what is wrong.
enum DoctorCommand {
  private static let strict = Option("strict", "exit 1 for warnings too")

  static let command = Command(
    ["doctor"], options: Option.printing + [strict, .offline, .timeout, .store, .explain],
    printing: Check.fields.map { $0.outline },
    "check sources, settings, store and terminal; say how to mend what is wrong",
    examples: ["doctor", "doctor --offline", "doctor --format json --timeout 5 --strict"]
  ) { invocation in
    let program = invocation.program
    var (checks, opened) = ([Check](), (any RecordStore)?.none)
    do {
      let world = try invocation.world()
      opened = world.store
      checks.append(settings(world.settings, invocation))
      checks += program.catalogue.omissions.map { omission in
        // Another source has the name, and works.
        let isUsed = omission.name.map { program.catalogue[$0] != nil } ?? false
        return Check(
          omission.name ?? "sources", isUsed ? .warn : .fail, omission.reason.message, fix: fix(omission.reason, invocation))
      }
      checks += invocation.has(.offline) ? unasked(invocation) + leave(invocation) : try await sources(invocation, in: world)
      checks += try await drift(invocation, in: world)
    } catch let error as SourceError {
      checks.append(
        Check("settings", .fail, error.message, fix: fix(error, invocation) ?? "type '\(program.name) config' to look at them"))
    }
    checks += await store(invocation, opened) + [terminal(program)]
    if program.console.isOutputTerminal, !invocation.has(.format), !invocation.has(.fields) {
      let width = program.console.width(program.environment)
      try program.console.write(checks.summed.map { $0.lines(invocation.style, width: width) }.joined())
    } else {
      try invocation.printRows(checks)
    }
    try program.console.flush()
    return checks.contains { $0.status == .fail || $0.status == .warn && invocation.has(strict) } ? .failure : .success
  }

  private static func fix(_ error: SourceError, _ invocation: Invocation) -> String? {
    error.remedy?.words(invocation.program.name, error.source)
  }
}

private struct Check: Fielded {
  enum Status: String, Sendable {
    case ok, warn, fail
  }

  let name: String
  let status: Status
  let detail: String
  let fix: String?
  /// Whether the service was reached; nil where nobody tried.
  let wasReached: Bool?

  init(_ name: String, _ status: Status, _ detail: String, fix: String? = nil, reached wasReached: Bool? = nil) {
    (self.name, self.status, self.detail, self.fix, self.wasReached) = (name, status, detail, fix, wasReached)
  }

  static let fields = [
    Field<Check>("check", .title, width: .whole) { $0.name },
    Field<Check>("status", .badge, width: .whole) { $0.status.rawValue },
    Field<Check>("detail", .subtitle) { $0.detail },
    Field<Check>("fix") { $0.fix },
  ]

  /// The check for a person: what it is about, what was found, and below it how to mend that.
  func lines(_ style: Style, width: Int) -> String {
    let shown =
      switch status {
      case .ok: style.badge("ok")
      case .warn: style.title("warn")
      case .fail: style.error("fail")
      }
    let margin = String(repeating: " ", count: 6)
    let texts = ["\(name): \(detail)"] + (fix.map { ["→ \($0)"] } ?? [])
    let lines = texts.flatMap { DisplayWidth.wrap(Printable.clean($0), width: max(1, width - margin.count)) }
    return shown + margin.dropFirst(status.rawValue.count) + lines.joined(separator: "\n" + margin) + "\n"
  }
}

extension [Check] {
  /// The same for a person to whom many sources that answered would hide those that did not: these are then one check.
  fileprivate var summed: [Check] {
    let answered = filter { $0.status == .ok && $0.wasReached == true }
    guard answered.count > 8, let first = firstIndex(where: { $0.name == answered[0].name }) else { return self }
    let names = answered.map(\.name).joined(separator: ", ")
    let sum = Check("\(answered.count) sources answered", .ok, names)
    return self[..<first] + [sum] + self[first...].filter { $0.status != .ok || $0.wasReached != true }
  }
}

// MARK: - Sources

extension DoctorCommand {
  /// That no source is asked.
  private static func unasked(_ invocation: Invocation) -> [Check] {
    let names = invocation.program.catalogue.sources.map(\.name)
    guard !names.isEmpty else { return [] }
    return [
      Check(
        "sources", .warn, "not asked (--offline): \(names.joined(separator: ", "))",
        fix: Remedy.askService.words(invocation.program.name, nil))
    ]
  }

  /// The sources in files that send nothing, as far as that is known without asking.
  private static func leave(_ invocation: Invocation) -> [Check] {
    let program = invocation.program
    return program.catalogue.sources.compactMap { source in
      guard let file = source.file else { return nil }
      do throws(SourceError) {
        try program.manifests.leave.check(
          ManifestContents(at: file), beside: program.catalogue, asking: source.name)
        return nil
      } catch {
        return Check(source.name, error.isAboutLeave ? .warn : .fail, error.message, fix: fix(error, invocation))
      }
    }
  }

  /// Every source at once; each is asked for its first page, within ten seconds unless `--timeout` says otherwise.
  private static func sources(_ invocation: Invocation, in world: World) async throws -> [Check] {
    let questions = try invocation.program.catalogue.sources.map { source in
      var question = try SourceQuestion(.everything, of: source, invocation)
      (question.ask.terms.reach, question.ask.terms.isInsistent) = (.live, true)
      question.ask.deadline = question.ask.deadline ?? invocation.program.clock.now + .seconds(10)
      return question
    }
    // The store is a check of its own.
    var world = world
    world.store = nil
    return try await withThrowingTaskGroup(of: (Int, Check).self) { [world] group in
      for (index, question) in questions.enumerated() { group.addTask { (index, try await check(question, in: world)) } }
      var checks: [Int: Check] = [:]
      for try await (index, check) in group { checks[index] = check }
      return offline(questions.indices.compactMap { checks[$0] }, invocation.program.name)
    }
  }

  /// The same checks; where no service at all was reached it is the network that is missing, and no source is to blame.
  private static func offline(_ checks: [Check], _ program: String) -> [Check] {
    guard !checks.contains(where: { $0.wasReached == true }) else { return checks }
    let fix = "no service was reached; check the network, and type '\(program) doctor' again"
    return checks.map { $0.wasReached == nil ? $0 : Check($0.name, .warn, "could not be asked: \($0.detail)", fix: fix) }
  }

  /// What the last syncs saw of rows that do not look as they did; a store that cannot be read is a check of its own.
  private static func drift(_ invocation: Invocation, in world: World) async throws -> [Check] {
    var checks: [Check] = []
    for source in invocation.program.catalogue.sources where !source.isEndless {
      let question = try SourceQuestion(toStoreOf: source, invocation)
      for drift in (try? await question.opened(in: world).drift()) ?? [] {
        checks.append(
          Check(
            source.name, .warn, "\(drift.sentence) since \(CalendarDay(drift.since))",
            fix: source.shapeAdvice([drift], invocation.program.name)))
      }
    }
    return checks
  }

  private static func check(_ question: SourceQuestion, in world: World) async throws -> Check {
    let (source, invocation) = (question.descriptor, question.invocation)
    do {
      return try await EventPrinter(question, showsProgress: false, tellsStore: false).during {
        try await check(question, question.opened(in: world))
      }
    } catch let error as SourceError {
      let advised = error.advised(for: Ask(of: source.name), of: source)
      switch error.kind {
      case .missingKey:
        let instead = source.file == nil ? "; bundled data is used" : ""
        return Check(source.name, .warn, error.message + instead, fix: fix(advised, invocation))
      case .settings where error.isAboutLeave: return Check(source.name, .warn, error.message, fix: fix(error, invocation))
      case .budgetSpent, .throttled:
        return Check(
          source.name, .warn, error.message, fix: fix(error, invocation) ?? "try again later",
          reached: error.kind == .throttled ? true : nil)
      case .timedOut:
        return Check(
          source.name, .fail, "no answer in time", fix: "try again, or give it longer with --timeout", reached: false)
      case .unreachable:
        let setting = source.settings.first { $0.kind == .address }
        let command = "type '\(question.program.name) config set \(setting?.name ?? "KEY")' to name"
        // Nobody runs one on this machine, and nobody said that one is there.
        if let setting, source.file == nil, world.settings[setting]?.origin == .default,
          try world.settings.address(setting).host == "localhost"
        {
          return Check(source.name, .warn, "no service is set up; bundled data is used", fix: "\(command) its address")
        }
        return Check(
          source.name, .fail, error.message, fix: "check the network and the service, or \(command) another address",
          reached: false)
      default: return Check(source.name, .fail, advised.message, fix: fix(advised, invocation), reached: true)
      }
    }
  }

  private static func check(_ question: SourceQuestion, _ source: OpenedSource) async throws -> Check {
    let (clock, start) = (question.program.clock, question.program.clock.now)
    let page = try await source.livePage(deadline: question.ask.deadline)
    let took = (clock.now - start).inWords
    let address = source.descriptor.settings.first { $0.kind == .address }?.name ?? "the address"
    let fix = "type '\(question.program.name) config' to check \(address)"
    guard page.received > 0 else {
      return Check(source.name, .warn, "answered in \(took), without any record", fix: fix, reached: true)
    }
    guard let first = page.faults.first else {
      let records = page.total.map { "\($0) records" } ?? "\(page.received) records on its first page"
      return Check(source.name, .ok, "answered in \(took), \(records)", reached: true)
    }
    let broken = "\(page.faults.count) of \(page.received) rows could not be read: \(first.text)"
    return Check(
      source.name, page.items.isEmpty ? .fail : .warn, "answered in \(took), but \(broken)", fix: fix, reached: true)
  }
}

extension SourceError {
  /// Whether a person can allow what is refused.
  fileprivate var isAboutLeave: Bool { if case .allow = remedy { true } else { false } }
}

// MARK: - What is around them

extension DoctorCommand {
  /// The settings could be read; what their files warn of was said already.
  private static func settings(_ settings: Settings, _ invocation: Invocation) -> Check {
    let file = settings.keyFile.map { "key file \($0)" } ?? "no key file"
    guard let warning = settings.warnings.first else { return Check("settings", .ok, file) }
    return Check("settings", .warn, "\(file): \(warning)", fix: "type '\(invocation.program.name) config' to look at them")
  }

  private static func store(_ invocation: Invocation, _ opened: (any RecordStore)?) async -> [Check] {
    do {
      let place = try StorePlace(of: invocation)
      let store = opened ?? invocation.store(at: place)
      let count = plural(try await invocation.storedCounts(in: store).values.reduce(0, +), "record")
      switch place {
      case .memory:
        return [
          Check("store", .warn, "nothing is stored: no folder for it", fix: "set HOME, or name a file with --store PLACE")
        ]
      case .file(let path, _):
        try (store as? SQLiteStore)?.checkRoom()
        return [check(path, holding: count)]
      case .server(let address):
        let condition = try await (store as? PostgresStore)?.condition()
        let version = condition.map { ", PostgreSQL \($0.version)" } ?? ""
        return [Check("store", .ok, "\(address), \(count)\(version)")]
          + [condition?.trouble].compactMap(\.self).map { Check("store", .warn, $0.message, fix: fix($0, invocation)) }
      }
    } catch {
      let known = error as? SourceError
      let remedy = known.flatMap { fix($0, invocation) } ?? "use another store with --store PLACE"
      return [Check("store", .fail, known?.message ?? "\(error)", fix: remedy)]
    }
  }

  private static func check(_ path: String, holding count: String) -> Check {
    let isThere = access(path, F_OK) == 0
    guard access(isThere ? path : nearestFolder(of: path), W_OK) == 0 else {
      let what = isThere ? "\(path) can only be read" : "\(path) cannot be made"
      return Check(
        "store", isThere ? .warn : .fail, what, fix: "make its folder writable, or use another store with --store PLACE")
    }
    return Check("store", .ok, isThere ? "\(path), \(count)" : "\(path), not made yet")
  }

  /// The folder that is there already, in which the others would be made.
  private static func nearestFolder(of path: String) -> String {
    var folder = Paths.folder(of: path)
    while access(folder, F_OK) != 0, Paths.folder(of: folder) != folder { folder = Paths.folder(of: folder) }
    return folder
  }

  private static func terminal(_ program: Program) -> Check {
    guard program.console.isOutputTerminal else { return Check("terminal", .ok, "output is not a terminal") }
    let term = program.environment["TERM"] ?? ""
    let width = program.console.width(program.environment)
    guard !term.isEmpty, term != "dumb" else {
      return Check(
        "terminal", .warn, "\(width) columns, TERM=\(term): no colours, no progress", fix: "set TERM, such as xterm-256color")
    }
    let links = Style.opensLinks(program.environment) ? "links" : "no links"
    return Check("terminal", .ok, "\(term), \(width) columns, \(links)")
  }
}
