import AggregatorCore
import Asking
import RecordFormats
import StoreTables
import Synchronization

/// A call of a tool, with what it names.
struct ToolCall: Sendable {
  let tool: Tool
  let arguments: [Member]
  let request: ToolRequest
  /// The arguments, read like the parameters of every face.
  let words: AskWords

  init(_ tool: Tool, _ arguments: [Member], in request: ToolRequest) {
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
      let texts = [mistake.message + place] + mistake.omissions.map(request.server.bare)
      return .failure(
        texts.joined(separator: "; "), kind: "statement", remedy: mistake.nearest.map { "did you mean \"\($0)\"?" })
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
    _ verb: Verb, of source: SourceDescriptor, at place: ToolPlace? = nil, without others: [String] = []
  ) throws -> Ask {
    var own = words
    for name in ["source", "fields", "cursor"] + others { _ = own.take(name) }
    if let place { own.give("offset", [String(place.offset)]) }
    if let start = place?.start { own.give("cursor", [start.answer]) }
    var ask = try Ask(verb, of: source, reading: own, mostRecords: Tool.mostRows, at: now)
    ask.deadline = deadline
    if let thread = place?.start?.thread { ask.start?.cursor.threadText = thread }
    if source.isEndless, ask.terms.reach == .live {
      let why = "live would fetch and store further \(source.name), and this tool changes nothing"
      throw SourceError(.settings, why, remedy: .omit("live", "")).from(source.name)
    }
    return ask
  }

  /// The place that an earlier result named; nil if none is given.
  func place() throws(AskError) -> ToolPlace? {
    guard let text = words.given["cursor"]?.last else { return nil }
    guard let place = ToolPlace(text) else { throw .invalid("cursor", expected: "what an earlier answer said to send") }
    return place
  }

  /// The result for a place of another question, before anything is read.
  func refusalOfCursor(_ subject: String? = nil) -> ToolResult {
    ToolResult(subject: subject).endingChain(beginAgain: rest(at: []), because: "the cursor belongs to another question")
  }

  func columns(of source: OpenedSource, isFull: Bool) throws -> Columns {
    let chosen = words.given["fields"]?.joined(separator: ",")
    return try Columns(reading: chosen, of: source.fields, id: source.idPath, isFull: isFull, at: now)
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

  static func call(_ tool: String, _ arguments: [Member]) -> Value {
    ["tool": .text(tool), "arguments": .object(arguments)]
  }

  static func member(_ parameter: Remedy.Parameter) -> Member {
    Member(name: parameter.name, value: parameter.value.map { Int($0).map { .int($0) } ?? .text($0) } ?? true)
  }
}
