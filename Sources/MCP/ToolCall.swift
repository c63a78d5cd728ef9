import AggregatorCore
import Asking
import RecordFormats
import StoreTables
import Synchronization

/// A call of a tool, with what it names.
struct ToolCall: Sendable {
  let tool: Tool
  let arguments: [Member]
  let request: Request
  /// The arguments, read like the parameters of every face.
  let words: AskWords

  init(_ tool: Tool, _ arguments: [Member], in request: Request) {
    (self.tool, self.arguments, self.request, words) = (tool, arguments, request, AskWords(arguments))
  }

  var catalogue: Catalogue { request.catalogue }
  var world: World { request.world }
  var now: Moment { world.clock.now }
  /// The moment by which an answer has to end.
  var deadline: Moment { now + request.server.answerTime }

  /// Answers. A mistake of the model, or of a service, is a result that says so.
  func result() async throws -> ToolResult {
    do {
      try check()
      let heard = Mutex<[String]>([])
      var result = try await Event.listening({ event in
        switch event {
        case .noticed(let source, let text): heard.withLock { $0.append("\(source): \(text)") }
        case .storeFailed(let error): heard.withLock { $0.append("\(error)") }
        default: break
        }
      }) { try await request.telling { try await tool.answer(self) } }
      result.notices += heard.withLock(\.self).map { request.server.bare($0) }
      return result
    } catch let error as AskError {
      return failure(error)
    } catch let error as SourceError {
      return failure(error)
    } catch let mistake as QueryMistake {
      let place = mistake.offset.map { " (at byte \($0 + 1) of the statement)" } ?? ""
      return .failure(mistake.message + place, kind: "statement", remedy: mistake.nearest.map { "did you mean \"\($0)\"?" })
    }
  }

  /// The greatest number of bytes in the arguments, and in a place, so that a result has room for the call that continues it.
  private static let mostBytes = 8_000, mostBytesOfPlace = 12_000

  private func check() throws(AskError) {
    try words.check(among: tool.parameters)
    try words.checkSizes()
    let place = words.given["cursor"]?.reduce(0) { $0 + $1.utf8.count } ?? 0
    if place > Self.mostBytesOfPlace { throw .invalid("cursor", expected: "what an earlier answer said to send") }
    if Value.object(arguments.filter { $0.name != "cursor" }).size > Self.mostBytes {
      throw .invalid("the arguments", expected: "at most \(Self.mostBytes) bytes of JSON")
    }
    for parameter in tool.required where words.given[parameter.name] ?? [] == [] { throw .missing(parameter.name) }
  }

  // MARK: What the arguments say

  /// The source that is named; nil if none is.
  func named() throws -> SourceDescriptor? {
    guard let name = words.given["source"]?.last else { return nil }
    if let source = catalogue[name] { return source }
    if let omission = catalogue.omission(of: name) { throw omission.reason }
    throw AskError.unknown(Unknown("source", name, among: catalogue.sources.map(\.name)))
  }

  func source() throws -> SourceDescriptor {
    guard let source = try named() else { throw AskError.missing("source") }
    return source
  }

  /// Reads what is asked of a verb of a source.
  func ask(
    _ verb: Verb, of source: SourceDescriptor, at place: Place? = nil, without others: [String] = []
  ) throws -> Ask {
    var own = words
    for name in ["source", "fields", "cursor"] + others { _ = own.take(name) }
    if let place { own.give("offset", [String(place.offset)]) }
    if let start = place?.start { own.give("cursor", [start.answer]) }
    var ask = try Ask(verb, of: source, reading: own, mostRecords: Tool.mostRows, at: now)
    ask.deadline = deadline
    if let thread = place?.start?.thread { ask.cursor?.threadText = thread }
    if source.isEndless, ask.terms.reach == .live {
      let why = "live would fetch and store further \(source.name), and this tool changes nothing"
      throw SourceError(.settings, why, remedy: .omit("live", "")).from(source.name)
    }
    return ask
  }

  /// The place that an earlier result named; nil if none is given.
  func place() throws(AskError) -> Place? {
    guard let text = words.given["cursor"]?.last else { return nil }
    guard let place = Place(text) else { throw .invalid("cursor", expected: "what an earlier answer said to send") }
    return place
  }

  func columns(of source: OpenedSource, isFull: Bool) throws -> Columns {
    let chosen = words.given["fields"]?.joined(separator: ",")
    do throws(ColumnError) {
      return Columns(try Selection(chosen, of: source.fields, detail: isFull), of: source.fields, id: source.idPath, at: now)
    } catch .unknown(let unknown) {
      throw AskError.unknown(unknown)
    } catch {
      throw AskError.invalid("fields", expected: "names of fields with commas between them")
    }
  }

  func number(_ parameter: Ask.Parameter, usually usual: Int, atMost most: Int = .max) throws(AskError) -> Int {
    let number = try parameter.number(in: words) ?? usual
    guard number <= most else { throw .invalid(parameter.name, expected: "at most \(most)") }
    return number
  }

  // MARK: Further calls

  /// The same call at another place.
  func rest(at place: [Remedy.Parameter]) -> Value {
    let kept = arguments.filter { member in
      member.name != "cursor" && member.name != "offset" && !place.contains { $0.name == member.name }
    }
    return Self.call(tool.name, kept + place.map(Self.member))
  }

  private static func call(_ tool: String, _ arguments: [Member]) -> Value {
    ["tool": .text(tool), "arguments": .object(arguments)]
  }

  private static func member(_ parameter: Remedy.Parameter) -> Member {
    Member(name: parameter.name, value: parameter.value.map { Int($0).map { .int($0) } ?? .text($0) } ?? true)
  }

  /// The call that a remedy is; nil if no tool is for it.
  func call(for remedy: Remedy, about source: String?) -> Value? {
    var remedy = remedy
    // To find what an id did not find, its words are looked for.
    if case .ask(var call, let purpose) = remedy, call.subjects == ["TEXT"], let id = words.given["id"]?.last {
      call.subjects = [id]
      remedy = .ask(call, purpose)
    }
    if remedy.hasBlank { return nil }
    switch remedy {
    case .ask(let call, _):
      guard let tool = request.server.tools.first(where: { $0.name == call.verb }) else { return nil }
      var members: [Member] = []
      if call.isOfSource, let name = call.source ?? source ?? words.given["source"]?.last {
        members.append(Member(name: "source", value: .text(name)))
      }
      if let subject = tool.required.first(where: { $0 == .text || $0 == .id }), !call.subjects.isEmpty {
        members.append(Member(name: subject.name, value: .text(call.subjects.joined(separator: " "))))
      }
      // A client that waits for its answer has no use for a sync that waits.
      members += call.parameters.filter { $0.name != "wait" }.map(Self.member)
      return tool.takes(members) ? Self.call(tool.name, members) : nil
    // Fields without a value are a wish for their names.
    case .give(["fields"], _): return source.map { Self.call("sources", [Member(name: "source", value: .text($0))]) }
    case .give(let parameters, _):
      let calls = parameters.lazy.map { [Self.member($0)] }.filter { tool.takes(arguments + $0) }
      return calls.first.map { Self.call(tool.name, arguments.filter { [name = $0[0].name] in $0.name != name } + $0) }
    case .omit(let name, _) where words.given[name] != nil:
      return Self.call(tool.name, arguments.filter { $0.name != name })
    case .either(let remedies): return remedies.lazy.compactMap { call(for: $0, about: source) }.first
    case .lengthen, .omit, .set, .check, .advice: return nil
    }
  }

  /// Remedies in the words of this face: as calls of tools, or as what a person has to do.
  var wording: Remedy.Wording { { words(for: $0, about: $1) } }

  private func words(for remedy: Remedy, about source: String?) -> String? {
    if let call = call(for: remedy, about: source) {
      return
        "call \(call["tool"]?.text ?? "") with \(String(decoding: (call["arguments"] ?? .null).bytes, as: UTF8.self))"
    }
    switch remedy {
    case .advice(let text): return text
    case .give(let parameters, let purpose):
      let known = parameters.filter { parameter in tool.parameters.contains { $0.name == parameter.name } }
      return known.isEmpty ? nil : "\(Remedy.give(known, purpose))"
    case .omit, .lengthen: return nil
    case .either(let remedies):
      return [remedies.compactMap { words(for: $0, about: source) }.joined(separator: ", or ")].first { !$0.isEmpty }
    case .ask, .set, .check: return request.server.wordsForPerson?(remedy, source).map { "a person can \($0)" }
    }
  }

  private func failure(_ error: SourceError) -> ToolResult {
    let text = copy(of: error.worded(wording)) { $0.remedy = nil }
    return .failure(
      request.server.bare("\(text)"), kind: error.kind.name,
      remedy: error.remedy.flatMap { wording($0, error.source) }.map { request.server.bare($0) },
      call: error.remedy.flatMap { call(for: $0, about: error.source) })
  }

  private func failure(_ error: AskError) -> ToolResult {
    switch error {
    case .unreadable(let name, let error):
      return copy(of: failure(error)) { result in
        result.beginning = result.beginning?.replacingEach("FAILED: ", with: "FAILED: \(name): ")
        result.more[0].value = "arguments"
      }
    case .unknown(let unknown):
      let mended = arguments.map { member in
        switch unknown.kind {
        case "parameter" where member.name == unknown.word:
          Member(name: unknown.nearest ?? member.name, value: member.value)
        case "source" where member.name == "source" && unknown.nearest != nil:
          Member(name: "source", value: .text(unknown.nearest ?? ""))
        default: member
        }
      }
      let others = unknown.kind == "source" ? omissions : []
      let text = (["\(error)"] + others).joined(separator: "; ")
      return .failure(text, call: mended == arguments ? nil : Self.call(tool.name, mended))
    case .missing("source"):
      let names = catalogue.sources.map(\.name).joined(separator: ", ")
      return .failure("source is missing; the sources are \(names)", call: Self.call("sources", []))
    case .invalid("limit", _) where words.given["limit"]?.last.flatMap { Int($0) } ?? 0 > Tool.mostRows:
      return .failure("\(error)", call: rest(at: [.init("limit", String(Tool.mostRows))]))
    case .foreignCursor, .invalid("cursor", _): return .failure("\(error)", call: rest(at: []))
    default: return .failure("\(error)")
    }
  }
}

extension Tool {
  /// True when it takes these arguments, and needs no others.
  fileprivate func takes(_ arguments: [Member]) -> Bool {
    arguments.allSatisfy { member in parameters.contains { $0.name == member.name } }
      && required.allSatisfy { parameter in arguments.contains { $0.name == parameter.name } }
  }
}

extension Remedy {
  /// True when somebody has to fill in a word, such as `limit=N`.
  fileprivate var hasBlank: Bool {
    let words: [String] =
      switch self {
      case .ask(let call, _): call.subjects + call.parameters.compactMap(\.value)
      case .give(let parameters, _): parameters.compactMap(\.value)
      default: []
      }
    return words.contains {
      $0.split { !$0.isLetter }.contains { ["TEXT", "ID", "N", "FIELD", "FILE", "SOURCE", "NAME"].contains($0) }
    }
  }
}
