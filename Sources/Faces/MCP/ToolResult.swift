import AggregatorCore
import Asking
import RecordFormats

/// The result of a tool: what its rows are, and then the rows. It is never longer than its bound.
struct ToolResult: Sendable {
  /// The word for the rows: `heroes`; nil for rows without a name.
  var subject: String?
  /// The beginning of the sentence, where the number of rows does not say it.
  var beginning: String?
  var rows: [Value] = []
  /// The number of rows before these.
  var offset = 0
  /// True when rows that were given before come again, since the list changed.
  var hasRepeats = false
  /// The number of all rows, as far as it is known.
  var total: Int?
  /// The verdict of the rows; nil for a report.
  var verdict: Verdict?
  /// The reason for the verdict.
  var reason: String?
  var origin: Origin?
  /// Returns the arguments that give what follows so many of the rows, in place of those that the call had; nil if nothing follows.
  var rest: @Sendable (_ kept: Int) -> [Remedy.Parameter]? = { _ in nil }
  /// The parts that the stored list lacks.
  var missing: [Value] = []
  var notices: [String] = []
  /// Further members before the rows.
  var more: [Member] = []
  var isError = false

  /// The greatest number of bytes in the JSON of a result.
  static let mostBytes = 40_000

  /// The schema of every result. The rows of each source have other members.
  static let schema = JSONSchema.object([.init("what", .text), .init("items", JSONSchema(["type": "array"]))])

  /// Ends a chain of results: whatever followed, the last one could not say that these are all.
  func endingChain(beginAgain call: Value, because why: String) -> ToolResult {
    let reason = "\(why); begin again with \"call\""
    return copy(of: self) {
      ($0.verdict, $0.reason, $0.more) = (.partial(.recorded(reason)), reason, [Member(name: "call", value: call)])
    }
  }

  /// The result as a client takes it: structured, and the same as text. Rows that have no room are left out whole, and counted.
  func value(of call: ToolCall) -> Value {
    // Of rows that are too long by themselves, several have room after they were cut.
    let rows = rows.map(\.readable)
    let (sizes, most) = (rows.map(\.size), Self.mostBytes - 2_000)
    let isLong = sizes.contains { $0 > most }
    let shown = isLong ? zip(rows, sizes).map { $1 > most ? $0.cut(to: most / 4) : $0 } : rows
    func content(_ kept: Int) -> Value {
      copy(of: head(keeping: kept, of: call, isLong: isLong)) { $0["items"] = .list(Array(shown.prefix(kept))) }
    }
    var (kept, value) = (shown.count, content(shown.count))
    while value.size > Self.mostBytes, kept > 0 {
      var (room, fitting) = (Self.mostBytes - content(0).size, 0)
      for row in shown.prefix(kept - 1) {
        room -= row.size + 1
        if room < 0 { break }
        fitting += 1
      }
      kept = fitting
      value = content(kept)
    }
    if value.size > Self.mostBytes { return Self.failure("the result has no room; ask for less").value(of: call) }
    let text = Value.text(String(decoding: value.bytes, as: UTF8.self))
    return ["content": [["type": "text", "text": text]], "structuredContent": value, "isError": .bool(isError)]
  }

  /// Says what the rows are, of which so many have room.
  private func head(keeping kept: Int, of call: ToolCall, isLong: Bool) -> Value {
    let (cut, rest) = (rows.count - kept, self.rest(kept).map { call.rest(at: $0) })
    var head: Value = ["what": .text(Self.clipped(what(keeping: kept, rest != nil, at: call.world.clock.now)))]
    if !isError {
      let isPart = if case .partial = verdict { true } else { false }
      head["verdict"] = verdict.map { .text(!isPart && (cut > 0 || rest != nil) ? Verdict.bounded.kind : $0.kind) }
      head["reason"] = reason.map { .text(Self.clipped($0)) }
      head["origin"] = origin?.value.cut(to: 1_000)
      (head["rows"], head["total"], head["cut"]) = (.int(kept), total.map { .int($0) } ?? .null, .int(cut))
      head["more"] = rest ?? .null
      head["missing"] = missing.isEmpty ? nil : Value.list(missing).cut(to: 4_000)
      let told = (isLong ? ["values that are too long are cut, each with a mark; \"fields\" chooses others"] : []) + notices
      head["notices"] = told.isEmpty ? nil : Value.list(told.map { .text(Self.clipped($0)) }).cut(to: 4_000)
    }
    for member in more { head[member.name] = member.value.cut(to: 12_000) }
    return head
  }

  /// The sentence about the rows.
  private func what(keeping kept: Int, _ hasMore: Bool, at now: Moment) -> String {
    let again = hasRepeats ? "the list changed meanwhile, and rows given before may come again: tell them by id" : nil
    let parts = [beginning ?? number(keeping: kept), wholeness(keeping: kept, hasMore), again, origin?.words(at: now)]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  private func number(keeping kept: Int) -> String {
    let all = total.flatMap { $0 >= offset + kept ? " of \($0)" : nil } ?? ""
    guard let subject else { return plural(kept, "row") + all }
    if offset > 0, kept > 0, !hasRepeats { return "\(subject) \(offset + 1) to \(offset + kept)\(all)" }
    return all.isEmpty ? "\(plural(kept, "record")) of \(subject)" : "\(kept)\(all) \(subject)"
  }

  /// Says whether the rows are all; nil for a report.
  private func wholeness(keeping kept: Int, _ hasMore: Bool) -> String? {
    var (why, reason) = ("", reason)
    if case .partial(let shortfall) = verdict {
      if reason == shortfall.description { reason = shortfall.sentence }
      why = ", and some are missing: \(reason ?? "")"
    }
    let call = hasMore ? "call \"more\" for the rest" : "see \"\(more.first?.name ?? "fields")\""
    if kept < rows.count { return "NOT ALL: \(plural(rows.count - kept, "more row")) had no room here; \(call)\(why)" }
    if hasMore { return "NOT ALL: \(call)\(why)" }
    switch verdict {
    case .partial: return "NOT ALL: \(reason ?? "some are missing")"
    case .unverifiable: return "perhaps not all: \(reason ?? "nothing proves it")"
    case .bounded: return "perhaps not all: \(reason ?? "a limit ended the list")"
    case .complete where origin?.kind == .bundled: return "the end of the bundled copy, and the service may have others"
    case .complete where offset > 0 || hasRepeats: return "the last ones: with those before them these are all"
    case .complete where !missing.isEmpty: return "the list came to its end, but see \"missing\""
    case .complete: return "all of them"
    case nil: return nil
    }
  }

  /// The result of a call that failed. `call` is the one to make in its place.
  static func failure(_ message: String, kind: String = "arguments", remedy: String? = nil, call: Value? = nil) -> ToolResult {
    let told = [
      Member(name: "error", value: .text(kind)), Member(name: "remedy", value: remedy.fieldValue),
      Member(name: "call", value: call ?? .null),
    ]
    return ToolResult(beginning: "FAILED: \(message)" + (remedy.map { "; \($0)" } ?? ""), more: told, isError: true)
  }

  private static func clipped(_ text: String) -> String { Value.text(Printable.clean(text)).cut(to: 1_000).plainText }
}
