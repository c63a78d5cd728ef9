package import AggregatorCore
import Programs
package import Services

/// Tests a source that is a program: the program itself by the laws of a source, and what it printed under every hazard.
package struct ProgramConformance: Sendable {
  package struct Check: Sendable {
    /// The change that is made to the talk; `none` for the program itself.
    package let hazard: String
    package let law: String
    package let outcome: LawOutcome
  }

  private let source: ManifestSource
  private let manifest: Manifest
  private let program: SourceProgram
  private let call: ProgramCall
  private let clock: any Timekeeper

  /// Tests the source in `manifest` with that name; throws if it is not a program.
  package init(of manifest: Manifest, _ name: String, in world: World) throws {
    source = try manifest.description(of: name)
    guard let program = source.program else { throw SourceError(.settings, "\(name) is not a program") }
    (self.manifest, self.program, call, clock) = (manifest, program, manifest.call(of: program, in: world), world.clock)
  }

  private typealias Read = (ids: [String], summary: Summary)

  /// Reads a list, or another query, to its end.
  private func read(_ call: ProgramCall, _ query: Query = .everything, from cursor: Cursor? = nil) async throws -> Read {
    var walk = Walk(try manifest.records(of: source, from: call), query, from: cursor, clock: clock)
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    return (ids, walk.summary)
  }

  /// Runs all checks. The program is started about ten times.
  package func checks() async throws -> [Check] {
    let whole = try await read(call)
    return try await own(whole) + hazards(whole)
  }

  // MARK: - The program itself

  private func own(_ whole: Read) async throws -> [Check] {
    let (ids, summary) = whole
    let verdict = summary.verdict ?? .bounded
    let misfits = summary.misfits.fields.keys.sorted().joined(separator: ", ")
    let again = try await read(call).ids == ids
    return [
      check("ends", .unless(verdict.reason.map { "the list is partial: \($0)" })),
      check("ids", .unless(summary.duplicates > 0 ? "\(summary.duplicates) rows have the id of another one" : nil)),
      check(
        "rows",
        .unless(summary.skipped > 0 ? "\(summary.skipped) rows cannot be read" : ids.isEmpty ? "the list is empty" : nil)),
      check("fields", .unless(misfits.isEmpty ? nil : "values do not fit: \(misfits)")),
      check("again", .unless(again ? nil : "a second run gives other rows, or the same in another order")),
      check(
        "end",
        verdict == .complete ? .passed : .notApplicable("the program does not say that its list is complete, so no sync is")),
      check("search", try await search()), check("show", try await show(ids.first)),
      check(
        "after",
        program.supports.contains(.after)
          ? .unless(try await after(ids)) : .notApplicable("a sync that is cut off begins anew")),
    ]
  }

  private func check(_ law: String, _ outcome: LawOutcome) -> Check { Check(hazard: "none", law: law, outcome: outcome) }

  private func search() async throws -> LawOutcome {
    guard program.supports.contains(.search), let first = try await self.first() else {
      return .notApplicable("the walk searches")
    }
    let found = try await read(call, .matching(first.title))
    let none = try await read(call, .matching("zqxj vkwz"))
    guard found.ids.contains(first.id) else { return .failed("\(first.title) does not find \(first.id)") }
    return .unless(none.ids.isEmpty ? nil : "a text that is nowhere finds \(none.ids.count) rows")
  }

  private func show(_ id: String?) async throws -> LawOutcome {
    guard program.supports.contains(.show), let id else { return .notApplicable("the walk finds records") }
    let shown = try await read(call, .record(id))
    let none = try? await read(call, .record("zqxj vkwz"))
    guard shown.ids == [id] else { return .failed("\(id) shows \(shown.ids)") }
    return .unless(none?.ids.isEmpty ?? true ? nil : "an id that is nowhere shows a row")
  }

  private func first() async throws -> (id: String, title: String)? {
    let page = try await manifest.records(of: source, from: call).page(PageRequest(wanted: 1))
    guard let record = page.items.first else { return nil }
    let title = source.fields.first { $0.role == .title && $0.type.isText } ?? source.fields.first { $0.isSearchable }
    return title.flatMap { record.value[$0.name]?.plainText }.map { (record.id, $0) }
  }

  /// Returns what is wrong with the rows after a cursor; nil if they are the rest.
  private func after(_ ids: [String]) async throws -> String? {
    let page = try await manifest.records(of: source, from: call).page(PageRequest(wanted: max(1, ids.count / 2)))
    guard case .token(let place) = page.next else { return nil }
    let rest = try await read(call, from: Cursor(maker: source.name, place: .key(place)))
    let due = Array(ids.dropFirst(page.items.count))
    if rest.ids != due { return "after \(page.items.count) of \(ids.count) rows, \(rest.ids.count) others come" }
    let nowhere = ProgramRecords.place(afterCursor: "zqxj vkwz")
    let unknown = try? await read(call, from: Cursor(maker: source.name, place: .key(nowhere)))
    return unknown?.summary.verdict == .complete
      ? "after a cursor that is nowhere, the list is complete with \(unknown?.ids.count ?? 0) rows" : nil
  }

  // MARK: - Hazards

  private func hazards(_ whole: Read) async throws -> [Check] {
    let lines = try await call.lines()
    let half = Array(lines.prefix(lines.count / 2))
    let failed = SourceError(.programFailed, "the program ended with exit code 1")
    let last = lines.last ?? []
    let isFramed = program.speech == .lines
    var hazards: [(name: String, lines: [[UInt8]], end: SourceError?, isWhole: Bool)] = [
      ("exit code 1 after all rows", lines, failed, false), ("killed half-way", half, failed, false),
      ("a line that is not JSON", half + [Array("<html>".utf8)] + lines.dropFirst(half.count), nil, false),
      ("a line cut short", half + [Array(last.prefix(last.count / 2))], nil, false), ("no output", [], failed, false),
    ]
    if isFramed {
      let twins = twins(of: lines)
      hazards += [
        ("no end", Array(lines.dropLast()), nil, false), ("half of the lines, and exit code 0", half, nil, false),
        ("output after the end", lines + [Array(#"{"item":{}}"#.utf8)], nil, false),
        ("an unknown verdict", lines.dropLast() + [Array(#"{"end":{"verdict":"fine"}}"#.utf8)], nil, false),
        ("another row with the id of the first", lines.dropLast() + twins + [last], nil, twins.isEmpty),
        ("rows that came twice", lines.dropLast() + lines.dropLast() + [last], nil, true),
      ]
    }
    if let tap = program.tap {
      let batch = Value.object([Member(name: "type", value: "BATCH"), Member(name: "stream", value: .text(tap.stream))])
      hazards += [
        ("BATCH", half + [batch.bytes], nil, false),
        ("another key", lines.map { Self.isSchema($0) ? Self.changingKey($0) : $0 }, nil, false),
        ("RECORD before SCHEMA", lines.filter { !Self.isSchema($0) }, nil, false),
      ]
    }
    if program.speech == .csv { hazards.removeAll { $0.name.hasPrefix("a line") } }
    var checks: [Check] = []
    for hazard in hazards {
      let failure = await failure(hazard.lines, hazard.end, whole, isWhole: hazard.isWhole)
      checks.append(Check(hazard: hazard.name, law: "honest", outcome: .unless(failure)))
    }
    return checks
  }

  /// Returns a line with the first row in which the value of one field is another one; none if no field could be.
  private func twins(of lines: [[UInt8]]) -> [[UInt8]] {
    let field = source.fields.first {
      $0.type.isText && !source.keyFields.contains($0.name) && $0.text == nil && $0.path.steps.count == 1
    }
    guard let path = field?.path, let row = lines.lazy.compactMap({ (try? JSON($0))?.value["item"] }).first else { return [] }
    return [Value.object([Member(name: "item", value: row.setting(path, to: "another value of this row"))]).bytes]
  }

  /// Returns a SCHEMA message for which other fields are the key.
  private static func changingKey(_ line: [UInt8]) -> [UInt8] {
    ((try? JSON(line))?.value ?? .null).setting("key_properties", to: ["a field that no row has"]).bytes
  }

  private static func isSchema(_ line: [UInt8]) -> Bool { (try? JSON(line))?["type"]?.value == "SCHEMA" }

  /// Returns what a walk over these lines claims falsely; nil if it is honest.
  private func failure(_ lines: [[UInt8]], _ end: SourceError?, _ whole: Read, isWhole: Bool) async -> String? {
    guard let read = try? await read(call.playing(lines, ending: end)) else {
      return isWhole ? "the list is an error, although all rows came" : nil
    }
    if read.summary.verdict == .complete, !isWhole { return "the list counts as complete" }
    if read.ids.contains(where: { !whole.ids.contains($0) }) { return "rows come that the program never printed" }
    if isWhole, read.ids != whole.ids { return "rows are lost" }
    return nil
  }
}
