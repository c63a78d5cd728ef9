import AggregatorCore
import Asking
import KeyFiles
import Platform
import Presentation
import Terminal

/// `doctor`: asks each service once, looks at the settings, the store and the terminal, and says what to type to mend what is wrong.
enum DoctorCommand {
  /// How long each source has, unless `--timeout` says otherwise.
  private static let patience = Duration.seconds(10)

  static let command = Command(
    ["doctor"], options: Option.printing + [.offline, .timeout, .store, .explain], printing: Check.fields.map { $0.outline },
    "check each source, the settings, the store and the terminal, and say how to mend what is wrong",
    examples: ["doctor", "doctor --offline", "doctor --format json --timeout 5"]
  ) { invocation in
    try await invocation.printing { try await run(invocation) }
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let program = invocation.program
    var checks: [Check] = []
    do {
      let world = try invocation.world()
      checks.append(Check(of: world.settings, invocation))
      if !invocation.has(.offline) { checks += try await sources(invocation, in: world) }
    } catch let error as SourceError {
      checks.append(Check("settings", .fail, error.message, fix: fix(error, invocation) ?? "type '\(program.name) config' to look at them"))
    }
    checks.append(await store(invocation))
    checks.append(terminal(program))
    if program.console.isOutputTerminal, !invocation.has(.format), !invocation.has(.fields) {
      try program.console.write(
        checks.map { $0.lines(program.style(invocation), width: program.console.width(program.environment)) }.joined())
    } else {
      try invocation.printRows(checks)
    }
    try program.console.flush()
    return checks.contains { $0.status == .fail } ? .failure : .success
  }

  /// One check of anything.
  struct Check: Fielded {
    enum Status: String, Sendable {
      case ok, warn, fail
    }

    let name: String
    let status: Status
    let detail: String
    let fix: String?

    init(_ name: String, _ status: Status, _ detail: String, fix: String? = nil) {
      self.name = name
      self.status = status
      self.detail = detail
      self.fix = fix
    }

    static let fields = [
      Field<Check>("check", .title, width: .whole) { $0.name },
      Field<Check>("status", .badge, width: .whole) { $0.status.rawValue },
      Field<Check>("detail", .subtitle) { $0.detail },
      Field<Check>("fix") { $0.fix },
    ]
  }
}

extension DoctorCommand.Check {
  /// The check for a person: what it is about, what was found, and below it how to mend that.
  fileprivate func lines(_ style: Style, width: Int) -> String {
    let shown =
      switch status {
      case .ok: style.badge("ok");
      case .warn: style.title("warn");
      case .fail: style.error("fail")
      }
    let margin = String(repeating: " ", count: 6)
    let room = max(1, width - margin.count)
    let texts =
      DisplayWidth.wrap(Printable.clean("\(name): \(detail)"), width: room)
      + (fix.map { DisplayWidth.wrap(Printable.clean("→ \($0)"), width: room) } ?? [])
    let first = shown + String(repeating: " ", count: margin.count - status.rawValue.count)
    return first + texts.joined(separator: "\n" + margin) + "\n"
  }
}

// MARK: - Sources

extension DoctorCommand {
  /// Every source at once; each is asked for its first page.
  private static func sources(_ invocation: Invocation, in world: World) async throws -> [Check] {
    let program = invocation.program
    let runs = try program.catalogue.sources.map { source in
      var question = try SourceQuestion(.everything, of: source, invocation)
      (question.ask.terms.reach, question.ask.terms.isInsistent) = (.live, true)
      question.ask.deadline = question.ask.deadline ?? program.clock.now + patience
      return question
    }
    return try await withThrowingTaskGroup(of: (Int, Check).self) { group in
      for (index, run) in runs.enumerated() { group.addTask { (index, try await check(run, in: world)) } }
      var checks: [Int: Check] = [:]
      for try await (index, check) in group { checks[index] = check }
      return runs.indices.compactMap { checks[$0] }
    }
  }

  private static func check(_ run: SourceQuestion, in world: World) async throws -> Check {
    let name = run.descriptor.name
    do {
      return try await EventPrinter(run, showsProgress: false).during { try await check(run, run.opened(in: world)) }
    } catch let error as SourceError {
      let advised = error.advised(for: Ask(of: run.descriptor.name), of: run.descriptor)
      switch error.kind {
      case .missingKey: return Check(name, .warn, "no key is set; bundled data is used", fix: fix(advised, run.invocation))
      case .budgetSpent, .throttled: return Check(name, .warn, error.message, fix: fix(error, run.invocation) ?? "try again later")
      case .timedOut: return Check(name, .fail, "no answer in time", fix: "try again, or give it longer with --timeout")
      case .unreachable:
        let setting = run.descriptor.settings.first { $0.kind == .address }
        let command = setting.map { "type '\(run.program.name) config set \($0.name)' to name " } ?? ""
        // Nobody runs one on this machine, and nobody said that one is there.
        if let setting, world.settings[setting]?.origin == .default, try world.settings.address(setting).host == "localhost" {
          return Check(name, .warn, "no service is set up; bundled data is used", fix: "\(command)its address")
        }
        let other = command.isEmpty ? "" : ", or \(command)another address"
        return Check(name, .fail, error.message, fix: "check the network and the service\(other)")
      default: return Check(name, .fail, advised.message, fix: fix(advised, run.invocation))
      }
    }
  }

  private static func check<Item>(_ run: SourceQuestion, _ source: some SourceSession<Item>) async throws -> Check {
    let clock = run.program.clock
    let start = clock.now
    let deadline = run.ask.deadline
    let page = try await source.live.page(PageRequest(deadline: deadline))
    let took = (clock.now - start).inWords
    guard page.received > 0 else {
      return Check(run.descriptor.name, .warn, "answered in \(took), without any record", fix: addressRemedy(run))
    }
    let records = page.total.map { "\($0) records" } ?? "\(page.received) records on its first page"
    guard page.faults.isEmpty else {
      let first = page.faults.first.map { ": \($0.text)" } ?? ""
      return Check(
        run.descriptor.name, page.items.isEmpty ? .fail : .warn,
        "answered in \(took), but \(page.faults.count) of \(page.received) rows could not be read\(first)", fix: addressRemedy(run))
    }
    return Check(run.descriptor.name, .ok, "answered in \(took), \(records)")
  }

  private static func fix(_ error: SourceError, _ invocation: Invocation) -> String? {
    error.remedy?.words(invocation.program.name, error.source)
  }

  private static func addressRemedy(_ run: SourceQuestion) -> String {
    let address = run.descriptor.settings.first { $0.kind == .address }?.name
    return "type '\(run.program.name) config' to check \(address ?? "the address")"
  }
}

// MARK: - What is around them

extension DoctorCommand.Check {
  /// The settings could be read; what their files warn of was said already.
  fileprivate init(of settings: Settings, _ invocation: Invocation) {
    let program = invocation.program
    let file = settings.keyFile.map { "key file \($0)" } ?? "no key file"
    guard let warning = settings.warnings.first else {
      self.init("settings", .ok, file)
      return
    }
    self.init("settings", .warn, "\(file): \(warning)", fix: "type '\(program.name) config' to look at them")
  }
}

extension DoctorCommand {
  private static func store(_ invocation: Invocation) async -> Check {
    let stores = Stores(invocation)
    guard let path = stores.path else {
      return Check("store", .warn, "nothing is stored: no folder for it", fix: "set HOME, or name a file with --store PATH")
    }
    do {
      let snapshot = try await stores.store.snapshot()
      var count = 0
      for source in invocation.program.catalogue.sources { count += try await snapshot.census(of: source.kind).count }
      let isThere = access(path, F_OK) == 0
      guard access(isThere ? path : nearestFolder(of: path), W_OK) == 0 else {
        let what = isThere ? "\(path) can only be read" : "\(path) cannot be made"
        return Check("store", isThere ? .warn : .fail, what, fix: "make its folder writable, or name another file with --store PATH")
      }
      return Check("store", .ok, isThere ? "\(path), \(count) record\(count == 1 ? "" : "s")" : "\(path), not made yet")
    } catch let error as SourceError {
      return Check("store", .fail, error.message, fix: fix(error, invocation) ?? "name another with --store PATH")
    } catch {
      return Check("store", .fail, "\(error)")
    }
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
      return Check("terminal", .warn, "\(width) columns, TERM=\(term): no colours, no progress", fix: "set TERM, such as xterm-256color")
    }
    let links = Style.opensLinks(program.environment) ? "links" : "no links"
    return Check("terminal", .ok, "\(term), \(width) columns, \(links)")
  }
}
