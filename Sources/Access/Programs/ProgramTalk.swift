import AggregatorCore
import Synchronization

/// The talk of a program that runs: its rows, and what it says of them. One thread at a time asks for the next part.
final class ProgramTalk: Sendable {
  /// A part of the rows.
  struct Part {
    var rows: [JSON] = []
    /// The best verdict that a walk can get with these rows; nil if nothing speaks against a complete one.
    var standing: Verdict?
    var bookmark: String?
    /// True when nothing more comes.
    var isLast = false
    /// The place after the rows.
    var place = ProgramPlace()
  }

  /// One thing that a program says.
  enum Message {
    case row(JSON)
    /// Rows before it need not come again after `--after` with this text.
    case cursor(String)
    case bookmark(String)
    /// The list claims no more than this, whatever its end says.
    case limit(Verdict)
    /// The program says that its rows are over, and whether they are all.
    case end(Verdict)
    case failure(SourceError)
  }

  private let run: any ProgramOutput
  /// Held by the thread that reads, for as long as it reads. ``stop()`` does without it.
  private let hearing: Mutex<Hearing>

  /// A talk that continues after the rows up to `place`. `id` returns the id of a row.
  init(
    _ run: any ProgramOutput, _ reader: some MessageReader, after place: ProgramPlace, capped standing: Verdict?,
    id: @escaping @Sendable (JSON) -> String?
  ) {
    self.run = run
    hearing = Mutex(Hearing(reader, after: place, capped: standing, id: id))
  }

  /// Returns at most `count` further rows. An error comes after the rows before it. Blocks this thread.
  func part(of count: Int) throws -> Part { try hearing.withLock { try $0.part(of: count, from: run) } }

  /// Returns the next line as it came.
  func line() throws -> [UInt8]? { try run.line(isOver: false) }
  func stop() { run.stop() }
  func emit() { run.emit() }
}

/// The part of a talk that was heard so far, and what it means for the rest.
private struct Hearing {
  private var reader: any MessageReader
  private let id: @Sendable (JSON) -> String?
  /// The place after the last row.
  private var place: ProgramPlace
  /// The row after which the talk continues, until it has come.
  private var sought: ProgramPlace?
  /// The verdict that the program gave at its end.
  private var end: Verdict?
  private var standing: Verdict?
  /// The error that comes after the rows before it.
  private var trouble: (any Error)?
  private var isOver = false

  /// The silence after which the rows so far are a part.
  private static let lull = Duration.milliseconds(250)

  init(
    _ reader: some MessageReader, after place: ProgramPlace, capped standing: Verdict?,
    id: @escaping @Sendable (JSON) -> String?
  ) {
    (self.reader, self.place, self.id) = (reader, place, id)
    sought = place.id == nil ? nil : place
    // The program may print another list than the one in which that row was.
    self.standing = place.id == nil ? standing : .unverifiable
  }

  /// Returns at most `count` further rows; an error comes after the rows before it.
  mutating func part(of count: Int, from run: any ProgramOutput) throws -> ProgramTalk.Part {
    if let trouble { throw trouble }
    var part = ProgramTalk.Part()
    do {
      while !isOver, part.rows.count < count {
        // Rows that have come are not held back by a program that takes its time, or is silent until a deadline.
        if !part.rows.isEmpty, run.isSilent(for: Self.lull) { break }
        guard let line = try run.line(isOver: end != nil) else {
          try finish(&part)
          break
        }
        for message in try reader.read(line) { try take(message, &part) }
      }
      // What follows the last rows belongs to them.
      if isOver { try checkEnd(of: run) }
    } catch {
      guard !part.rows.isEmpty, !(error is CancellationError) else { throw error }
      trouble = error
    }
    (part.place, part.isLast) = (place, isOver && trouble == nil)
    part.standing = part.isLast ? end.map { $0.weaker(of: standing) } ?? standing : standing
    return part
  }

  /// Takes what comes at the end of the output.
  private mutating func finish(_ part: inout ProgramTalk.Part) throws {
    for message in try reader.finish() { try take(message, &part) }
    isOver = true
  }

  private func checkEnd(of run: any ProgramOutput) throws {
    if let failure = try run.failure() { throw failure }
    if let sought {
      throw SourceError(
        .foreignCursor, "the list continues after the row \(Printable.clean(sought.id ?? "")), and that row did not come again",
        remedy: .ask("reset", "to begin anew"))
    }
    if reader.needsEnd, end == nil {
      throw SourceError(.malformed, "the program ended without its last line, {\"end\": …}: rows may be missing")
    }
  }

  private mutating func take(_ message: ProgramTalk.Message, _ part: inout ProgramTalk.Part) throws {
    guard end == nil else { throw SourceError(.malformed, "the program printed more after its end") }
    switch message {
    case .row(let row):
      let id = id(row)
      if let sought, id != sought.id { return }
      if sought != nil { return sought = nil }
      part.rows.append(row)
      place = ProgramPlace(cursor: place.cursor, id: id ?? place.id, broken: id == nil ? place.broken + 1 : 0)
    case .cursor(let cursor):
      if sought == nil { place = ProgramPlace(cursor: cursor) }
    case .bookmark(let text): part.bookmark = text
    case .limit(let verdict): standing = verdict.weaker(of: standing)
    case .end(let verdict): end = verdict
    case .failure(var error):
      // After rows, a walk would take a bad request for the end of the list.
      if error.kind == .badRequest, place.id != nil { error.kind = .programFailed }
      throw error
    }
  }
}

/// The output of a program: of one that runs, or of one that ran.
protocol ProgramOutput: AnyObject, Sendable {
  /// Returns the next line, without its break and without secrets; nil at the end. `isOver` says that the program has told its end.
  func line(isOver: Bool) throws -> [UInt8]?
  /// Returns true when no line comes within this time. Blocks this thread.
  func isSilent(for wait: Duration) -> Bool
  /// Returns the reason why a program that has ended its output did not end well; nil if it did.
  func failure() throws -> SourceError?
  /// Ends the program.
  func stop()
  /// Tells the listener of this task what happened since.
  func emit()
}

/// The output that a program once had, as a test plays it again.
final class PlayedOutput: ProgramOutput {
  private let lines: Mutex<ArraySlice<[UInt8]>>
  private let end: SourceError?

  init(_ lines: [[UInt8]], ending end: SourceError? = nil) {
    self.lines = Mutex(lines[...])
    self.end = end
  }

  func line(isOver: Bool) -> [UInt8]? { lines.withLock { $0.popFirst() } }
  func isSilent(for wait: Duration) -> Bool { false }
  func failure() -> SourceError? { end }
  func stop() {}
  func emit() {}
}

/// Reads what a program prints, line by line.
protocol MessageReader: Sendable {
  /// True when the output is whole only with a line that says so.
  var needsEnd: Bool { get }
  /// Returns what a line says.
  mutating func read(_ line: [UInt8]) throws -> [ProgramTalk.Message]
  /// Returns what the lines before the end say together.
  mutating func finish() throws -> [ProgramTalk.Message]
}

extension MessageReader {
  var needsEnd: Bool { false }
  mutating func finish() throws -> [ProgramTalk.Message] { [] }

  /// Returns a row that takes the place of one that cannot be read, for this reason.
  func broken(_ reason: String) throws -> [ProgramTalk.Message] { [.row(try JSON(Value.text(reason).bytes))] }

  /// Returns the JSON of a line; nil for a blank line.
  func json(_ line: [UInt8]) throws -> JSON? {
    if line.allSatisfy({ $0 <= 0x20 }) { return nil }
    do { return try JSON(line) } catch {
      let text = Printable.clean(String(decoding: line.prefix(60), as: UTF8.self))
      throw SourceError(.malformed, "the program printed a line that is not JSON: \(text)")
    }
  }
}

/// A place in the output of a program: after a cursor of its own, and after a row that came since.
struct ProgramPlace: Hashable, Sendable {
  var cursor: String?
  var id: String?
  /// The number of rows without an id after that row, so that each place differs.
  var broken = 0

  init(cursor: String? = nil, id: String? = nil, broken: Int = 0) { (self.cursor, self.id, self.broken) = (cursor, id, broken) }

  private static let mark = "\u{1}"

  /// The place as the key of a page. A walk may also name a row by its id alone.
  var text: String {
    if cursor == nil, broken == 0, let id, !id.hasPrefix(Self.mark) { return id }
    return ([""] + [cursor.map { "+\($0)" } ?? "", id.map { "+\($0)" } ?? "", "\(broken)"]).joined(separator: Self.mark)
  }

  init(text: String?) {
    guard let text else { return }
    let parts = text.split(separator: Character(Self.mark), omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty else {
      id = text
      return
    }
    func told(_ part: Substring) -> String? { part.hasPrefix("+") ? String(part.dropFirst()) : nil }
    (cursor, id, broken) = (told(parts[1]), told(parts[2]), Int(parts[3]) ?? 0)
  }
}

extension Verdict {
  /// Returns the weaker one of two claims.
  fileprivate func weaker(of other: Verdict?) -> Verdict {
    guard let other else { return self }
    return claimsMore(than: other) ? other : self
  }
}
