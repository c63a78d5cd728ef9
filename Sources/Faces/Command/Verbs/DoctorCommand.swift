import AggregatorCore
import Asking
import Platform
import RecordFormats
import Services
import Terminal

/// `doctor`: asks each service once, checks the settings, the store and the terminal, and says what to type to fix what is wrong.
enum DoctorCommand {
  private static let strict = Option("strict", "exit 1 for warnings too")

  static let command = Command(
    ["doctor"], options: Option.printing + [strict, .offline, .timeout, .store, .explain],
    printing: Checkup.fields { _, _ in nil }.map { $0.outline },
    "check sources, settings, store and terminal; say how to fix what is wrong",
    examples: ["doctor", "doctor --offline", "doctor --format json --timeout 5 --strict"]
  ) { invocation in
    let (program, catalogue) = (invocation.program, invocation.program.catalogue)
    var (checkups, opened) = ([Checkup](), (any RecordStore)?.none)
    do {
      let world = try await invocation.askingWorld(of: catalogue.sources)
      opened = world.store
      checkups += [world.settings.checkup] + catalogue.omissionCheckups
      checkups += invocation.has(.offline) ? unasked(catalogue) + leave(program) : try await sources(invocation, in: world)
      checkups += FoundPrograms(program).checkups + catalogue.loginCheckups(in: world)
      checkups += await catalogue.statusCheckups(in: world) { source in
        try SourceQuestion(.changes, of: source, invocation).opened(in: world)
      }
    } catch let error as SourceError {
      checkups.append(Checkup("settings", .fail, error, remedy: Checkup.lookAtSettings))
    }
    checkups += aliases(program) + (await store(invocation, opened)) + [terminal(program)]
    let words: Remedy.Wording = { remedy, source in
      switch remedy {
      case Checkup.lookAtSettings: "type '\(program.name) config' to look at them"
      case Checkup.checkNetwork: "no service was reached; check the network, and type '\(program.name) doctor' again"
      default: invocation.wording(remedy, source)
      }
    }
    if program.console.isOutputTerminal, !invocation.has(.format), !invocation.has(.fields) {
      let width = program.console.width(program.environment)
      try program.console.write(checkups.summed.map { $0.lines(words, invocation.style, width: width) }.joined())
    } else {
      try invocation.printRows(checkups, of: Checkup.fields(words))
    }
    try program.console.flush()
    return checkups.contains { $0.status == .fail || $0.status == .warn && invocation.has(strict) } ? .failure : .success
  }
}

extension Checkup {
  /// Returns the checkup for a person: its name, the result, and below them how to fix it.
  fileprivate func lines(_ words: Remedy.Wording, _ style: Style, width: Int) -> String {
    let shown =
      switch status {
      case .ok: style.badge("ok")
      case .warn: style.title("warn")
      case .fail: style.error("fail")
      }
    let margin = String(repeating: " ", count: 6)
    let texts = ["\(name): \(detail)"] + (remedy.flatMap { words($0, source) }.map { ["→ \($0)"] } ?? [])
    let lines = texts.flatMap { DisplayWidth.wrap(Printable.clean($0), width: max(1, width - margin.count)) }
    return shown + margin.dropFirst(status.rawValue.count) + lines.joined(separator: "\n" + margin) + "\n"
  }
}

extension [Checkup] {
  /// The checkups for a person. Many sources that answered become one checkup, so that they do not hide those that failed.
  fileprivate var summed: [Checkup] {
    let answered = filter { $0.status == .ok && $0.wasReached == true }
    guard answered.count > 8, let first = firstIndex(where: { $0.name == answered[0].name }) else { return self }
    let names = answered.map(\.name).joined(separator: ", ")
    let sum = Checkup("\(answered.count) sources answered", .ok, names)
    return self[..<first] + [sum] + self[first...].filter { $0.status != .ok || $0.wasReached != true }
  }
}

// MARK: - Sources

extension DoctorCommand {
  /// Returns one checkup, which says that no source was asked.
  private static func unasked(_ catalogue: Catalogue) -> [Checkup] {
    let names = catalogue.sources.map(\.name)
    guard !names.isEmpty else { return [] }
    let detail = "not asked (--offline): \(names.joined(separator: ", "))"
    return [Checkup("sources", .warn, detail, remedy: .omit("offline", "to ask the service"))]
  }

  /// Returns a checkup for each source in a file that must not send or cannot be read, as far as that is known without asking.
  private static func leave(_ program: Program) -> [Checkup] {
    program.catalogue.sources.compactMap { source in
      guard let file = source.file else { return nil }
      do throws(SourceError) {
        try program.manifests.permissions.check(
          ManifestContents(at: file), beside: program.catalogue, asking: source.name)
        return nil
      } catch {
        return Checkup(source.name, error.isAboutLeave ? .warn : .fail, error)
      }
    }
  }

  /// Asks every source at once for its first page, within ten seconds unless `--timeout` gives another time.
  private static func sources(_ invocation: Invocation, in world: World) async throws -> [Checkup] {
    let catalogue = invocation.program.catalogue
    guard let first = catalogue.sources.first else { return [] }
    let question = try SourceQuestion(.list, of: first, invocation)
    return try await EventPrinter(question, showsProgress: false, tellsStore: false).during {
      try await catalogue.checkups(in: world, until: question.ask.deadline) { source in
        var question = try SourceQuestion(.list, of: source, invocation)
        (question.ask.terms.reach, question.ask.terms.isInsistent) = (.live, true)
        return try question.opened(in: copy(of: world) { $0.store = nil })
      }
    }
  }
}

// MARK: - Aliases, store and terminal

extension DoctorCommand {
  /// Returns a checkup for each alias that cannot be used as it is.
  private static func aliases(_ program: Program) -> [Checkup] {
    program.aliases.all.compactMap { alias in
      AliasCommands.trouble(with: alias, program).map { trouble in
        let remedy = "type '\(program.name) alias delete \(alias.name)', or set it again under a free name"
        return Checkup("alias \(alias.name)", .warn, trouble, remedy: .advice(remedy))
      }
    }
  }

  private static func store(_ invocation: Invocation, _ opened: (any RecordStore)?) async -> [Checkup] {
    do {
      let location = try StoreLocation(of: invocation)
      let store = opened ?? invocation.store(at: location)
      let reports = try await invocation.program.catalogue.plainReports(
        Settings(declared: []), countedIn: store, hidden: true)
      let count = plural(reports.reduce(0) { $0 + ($1.stored ?? 0) }, "record")
      switch location {
      case .memory:
        return [
          Checkup(
            "store", .warn, "nothing is stored: no folder for it", remedy: "set HOME, or name a file with --store PLACE")
        ]
      case .file(let path, _):
        _ = try await store.condition()
        let (state, troubles) = (check(path, holding: count), try await searchTroubles(of: reports, in: store))
        return (troubles.isEmpty || state.status != .ok ? [state] : []) + troubles
      case .server(let address):
        let condition = try await store.condition()
        let system = condition.system.map { ", \($0)" } ?? ""
        return [Checkup("store", .ok, "\(address), \(count)\(system)")]
          + [condition.trouble].compactMap(\.self).map { Checkup("store", .warn, $0) }
      }
    } catch {
      let error = error as? SourceError ?? SourceError(.storage, "\(error)")
      return [Checkup("store", .fail, error, remedy: "use another store with --store PLACE")]
    }
  }

  /// Compares the search index of each source that has records with these. Returns a checkup for each one that does not fit them.
  private static func searchTroubles(of reports: [SourceReport], in store: any RecordStore) async throws -> [Checkup] {
    var checkups: [Checkup] = []
    for report in reports where (report.stored ?? 0) > 0 {
      do {
        let trouble = try await store.searchTrouble(of: report.source.kind)
        if let trouble { checkups.append(Checkup("store", .fail, trouble)) }
      } catch let error as SourceError where error.kind == .timedOut {
        let detail = "there was no time to check the search index of \(report.source.name)"
        checkups.append(Checkup("store", .warn, detail, remedy: .lengthen("timeout")))
      }
    }
    return checkups
  }

  private static func check(_ path: String, holding count: String) -> Checkup {
    let isThere = access(path, F_OK) == 0
    guard access(isThere ? path : nearestFolder(of: path), W_OK) == 0 else {
      let what = isThere ? "\(path) can only be read" : "\(path) cannot be made"
      return Checkup(
        "store", isThere ? .warn : .fail, what,
        remedy: "make its folder writable, or use another store with --store PLACE")
    }
    return Checkup("store", .ok, isThere ? "\(path), \(count)" : "\(path), not made yet")
  }

  /// Returns the nearest folder that exists, in which the others would be made.
  private static func nearestFolder(of path: String) -> String {
    var folder = Paths.folder(of: path)
    while access(folder, F_OK) != 0, Paths.folder(of: folder) != folder { folder = Paths.folder(of: folder) }
    return folder
  }

  private static func terminal(_ program: Program) -> Checkup {
    guard program.console.isOutputTerminal else { return Checkup("terminal", .ok, "output is not a terminal") }
    let term = program.environment["TERM"] ?? ""
    let width = program.console.width(program.environment)
    guard !term.isEmpty, term != "dumb" else {
      return Checkup(
        "terminal", .warn, "\(width) columns, TERM=\(term): no colours, no progress",
        remedy: "set TERM, such as xterm-256color")
    }
    let links = Style.opensLinks(program.environment) ? "links" : "no links"
    return Checkup("terminal", .ok, "\(term), \(width) columns, \(links)")
  }
}
