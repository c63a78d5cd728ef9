import AggregatorCore
import Bodies

/// Framed lines: an item each, cursors between them, and one line at the end that says whether these are all.
struct FramedLines: MessageReader {
  let needsEnd = true

  private static let members = ["item", "cursor", "end", "error", "log"]

  mutating func read(_ line: [UInt8]) throws -> [ProgramTalk.Message] {
    guard let json = try json(line) else { return [] }
    let members = json.kind == .object ? Array(json.members.prefix(2)) : []
    guard members.count == 1, Self.members.contains(members[0].key) else {
      throw SourceError(
        .malformed,
        "a line of the program has none of \(Self.members.map { "{\"\($0)\": …}" }.joined(separator: ", ")); for rows alone, the source's "
          + "file says \"prints\": \"json\"")
    }
    let value = members[0].value
    switch members[0].key {
    case "item": return [.row(value)]
    case "cursor": return [.cursor(try value.asString())]
    case "end": return [.end(try Self.verdict(value))]
    case "error": return [.failure(try Self.error(value))]
    default: return []
    }
  }

  /// Returns the verdict that a program gives its own list. One that stopped before the end gives a part.
  private static func verdict(_ end: JSON) throws -> Verdict {
    let word = try end.string("verdict")
    // It may say that rows are missing.
    if let unknown = end.members.first(where: { !["verdict", "reason"].contains($0.key) })?.key {
      throw SourceError(
        .malformed, "the last line of the program has a member that is unknown: \(Printable.clean(String(unknown.prefix(40))))",
        remedy: "let it print \"verdict\" and \"reason\" alone")
    }
    let reason = try end.stringIfPresent("reason").map { Printable.clean(String($0.prefix(300))) }
    switch word {
    case "complete": return .complete
    case "unverifiable": return .unverifiable
    case "partial": return .partial(.recorded(reason ?? "the program says that rows are missing"))
    case "bounded": return .partial(.recorded(reason ?? "the program stopped before the end of its list"))
    default:
      throw SourceError(.malformed, "the program ended with an unknown verdict: \(Printable.clean(String(word.prefix(40))))")
    }
  }

  private static let kinds: [(word: String, kind: SourceError.Kind)] = [
    ("refused-key", .refusedKey), ("bad-request", .badRequest), ("not-found", .notFound), ("unavailable", .unreachable),
    ("malformed", .malformed), ("throttled", .budgetSpent),
  ]

  private static func error(_ error: JSON) throws -> SourceError {
    let (word, text) = (try error.string("kind"), try error.stringIfPresent("message") ?? "")
    let wait = try error["retryAfter"].map { try min(.seconds(7 * 86_400), Duration.seconds(clamping: $0.asDouble())) }
    let said = "the program says: \(Printable.clean(String((text.isEmpty ? word : text).prefix(300))))"
    guard let kind = kinds.first(where: { $0.word == word })?.kind else { return SourceError(.programFailed, said) }
    return .pausing(kind, said, for: wait)
  }
}

/// Rows alone, in JSON: an array, a document that has them at a path, or one on each line. Nothing says whether they are all.
struct PlainJSON: MessageReader {
  let path: ValuePath
  /// The lines of a document; nil while each line is a row.
  private var document: [UInt8]?
  private var isFirst = true

  /// The largest document.
  private static let most = 64 << 20

  init(_ path: ValuePath) { self.path = path }

  mutating func read(_ line: [UInt8]) throws -> [ProgramTalk.Message] {
    if isFirst {
      if line.allSatisfy({ $0 <= 0x20 }) { return [] }
      isFirst = false
      let isRow = path.steps.isEmpty && (try? JSON(line))?.kind == .object
      if !isRow { document = [] }
    }
    guard document != nil else { return try json(line).map { [.row($0)] } ?? [] }
    document?.append(contentsOf: line)
    document?.append(Byte.newline)
    guard document?.count ?? 0 <= Self.most else {
      throw SourceError(
        .malformed, "the program printed a document of more than \(Self.most >> 20) MB; print a row on each line instead")
    }
    return []
  }

  mutating func finish() throws -> [ProgramTalk.Message] {
    guard let bytes = document else { return [] }
    document = nil
    let json: JSON
    do { json = try JSON(bytes) } catch {
      throw SourceError(.malformed, "the program printed something other than JSON: \(Printable.clean("\(error)"))")
    }
    guard let rows = path.value(in: json), rows.kind == .array else {
      throw SourceError(.malformed, "the program printed no rows at \(path.text.isEmpty ? "the top" : path.text)")
    }
    return rows.elements.map { .row($0) }
  }
}

/// Rows alone, in csv with a header (RFC 4180), as `import` reads it. A row with more or fewer values than the header is broken.
struct PlainCSV: MessageReader {
  private var header: TableHeader?
  private var shape = TableShape()
  /// The lines of a row whose quotes are still open. A slice, from which a row is taken without moving the rows after it.
  private var open: ArraySlice<UInt8> = []

  mutating func read(_ line: [UInt8]) throws -> [ProgramTalk.Message] {
    var line = line
    if header == nil, open.isEmpty, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if header == nil, open.isEmpty { shape = line.withUnsafeBufferPointer { TableShape(of: $0) } }
    open += line + [Byte.newline]
    var messages: [ProgramTalk.Message] = []
    // A line that ends with LF may have several rows, if these end with CR alone.
    while !open.isEmpty {
      do {
        guard let row = try row() else {
          guard open.count <= ProgramRun.longestLine else { throw Self.isNeverClosed }
          break
        }
        next(after: row.size)
        messages += try message(of: row.values)
      } catch let error as SourceError where header != nil && !open.isEmpty && open.count <= ProgramRun.longestLine {
        next(after: open.count)
        messages += try broken(error.message)
      }
    }
    return messages
  }

  private mutating func message(of values: [String]) throws -> [ProgramTalk.Message] {
    if values.isEmpty { return [] }
    guard let header else {
      header = try TableHeader(values)
      return []
    }
    guard values.count == header.names.count else {
      return try broken("\(values.count) values in place of \(header.names.count)")
    }
    var writer = JSONWriter()
    header.write(values, into: &writer)
    return [.row(try JSON(writer.take()))]
  }

  mutating func finish() throws -> [ProgramTalk.Message] {
    guard open.isEmpty else { throw Self.isNeverClosed }
    return []
  }

  private static let isNeverClosed = SourceError(.malformed, "a quote in the program's csv is never closed")

  /// Returns the values of the next open row, none for a blank line, and its size; nil while quotes are open.
  private mutating func row() throws -> (values: [String], size: Int)? {
    if open.allSatisfy({ $0 <= 0x20 }) { return ([], open.count) }
    return try open.withUnsafeBufferPointer { bytes in
      try shape.end(in: bytes, isLast: false).map { try ($0.texts(in: bytes), $0.total) }
    }
  }

  private mutating func next(after size: Int) {
    open = open.dropFirst(size)
    shape.begin(at: TextLocation())
  }
}

/// The messages of a Singer tap about one stream.
struct SingerMessages: MessageReader {
  let stream: String
  /// True when an output without the stream's SCHEMA says nothing of the list, since its end would count as the end of the list.
  private let needsSchema: Bool
  /// The keys that the stream may have: the one of the source's description, and the one that the tap named when it was added. Empty if any will do.
  private let keys: [Set<String>]
  private var hasSchema = false

  init(_ stream: String, needsSchema: Bool = false, keys: [[String]] = []) {
    (self.stream, self.needsSchema, self.keys) = (stream, needsSchema, keys.map { Set($0) })
  }

  func finish() throws -> [ProgramTalk.Message] {
    guard needsSchema, !hasSchema else { return [] }
    throw SourceError(
      .malformed, "the tap sent no SCHEMA of the stream \(Printable.clean(stream)), so its end says nothing of that list")
  }

  mutating func read(_ line: [UInt8]) throws -> [ProgramTalk.Message] {
    guard let json = try json(line) else { return [] }
    guard json.kind == .object, let type = try json.stringIfPresent("type") else {
      throw SourceError(.malformed, "a line of the tap has no \"type\"")
    }
    if type == "STATE" { return Self.bookmark(json["value"]?.value ?? .null).map { [.bookmark($0)] } ?? [] }
    guard try json.stringIfPresent("stream") == stream else { return [] }
    switch type {
    case "SCHEMA":
      try checkKey(json["key_properties"]?.value.list?.compactMap(\.text) ?? [])
      hasSchema = true
      return []
    case "RECORD":
      guard hasSchema else { throw SourceError(.malformed, "the tap sent a RECORD before its SCHEMA") }
      guard let record = json["record"] else { throw SourceError(.malformed, "a RECORD of the tap has no record") }
      // The tap tells of a record that is gone, and a list has no row for that.
      if let time = record["_sdc_deleted_at"], !time.isNull {
        return [
          .limit(.partial(.recorded("the tap tells of deleted records, which stay until they are missing in a whole list")))
        ]
      }
      return [.row(record)]
    case "BATCH":
      throw SourceError(
        .malformed, "the tap sent a BATCH, whose files are not read", remedy: "turn \"batch_config\" off in its configuration")
    default: return []
    }
  }

  /// Throws if the stream has another key than the source: rows that only its own key tells apart would become one record.
  private func checkKey(_ told: [String]) throws {
    guard let own = keys.first, !keys.contains(Set(told)) else { return }
    let name = Printable.clean(stream)
    let now = told.isEmpty ? "names no key" : "has the key \(Printable.clean(told.joined(separator: ", ")))"
    throw SourceError(
      .malformed, "the stream \(name) \(now), and the source has \(own.sorted().joined(separator: ", "))",
      remedy: "correct \"key\" in the source's file, or add the tap again")
  }

  /// Returns a state as text; nil for one that remembers nothing, as most taps send at their beginning.
  private static func bookmark(_ state: Value) -> String? {
    func remembers(_ value: Value) -> Bool {
      if let members = value.members { return members.contains { remembers($0.value) } }
      if let elements = value.list { return elements.contains(where: remembers) }
      return !value.isNull
    }
    return remembers(state) ? String(decoding: state.bytes, as: UTF8.self) : nil
  }
}
