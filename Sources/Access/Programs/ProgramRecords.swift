public import AggregatorCore
import Platform
import Synchronization

/// The records that a program prints.
public final class ProgramRecords: DataSource {
  public let profile: Profile
  public let schema: Schema<LooseRecord>
  private let call: ProgramCall
  private let isNeverEmpty: Bool
  private let read: @Sendable (JSON) throws -> LooseRecord
  /// The talks that wait for the next page, by what was asked and the place after the last row. The last one is the newest.
  private let waiting = Mutex<[(question: Question, talk: ProgramTalk)]>([])
  /// The most programs that wait; the oldest is ended for a new one.
  private static let mostWaiting = 4

  private struct Question: Hashable {
    let query: Query
    let place: ProgramPlace
  }

  /// The records of a program; `read` reads a row.
  package init(
    _ name: String, from call: ProgramCall, of schema: Schema<LooseRecord>, neverEmpty isNeverEmpty: Bool,
    personal isPersonal: Bool,
    reading read: @escaping @Sendable (JSON) throws -> LooseRecord
  ) {
    let program = call.program
    var profile = Profile(
      name, paging: SourceProgram.paging, search: program.supports.contains(.search) ? .native : .walk,
      lookup: program.supports.contains(.show) ? .native : .walk, personal: isPersonal)
    profile.continuesLater = program.supports.contains(.after)
    profile.listsStates = program.tap != nil
    // Nothing but the program makes sure that its ids differ. Of two rows with one id, far apart in its output, one would be lost.
    profile.isKeyGuessed = true
    (self.profile, self.schema, self.call, self.isNeverEmpty, self.read) = (profile, schema, call, isNeverEmpty, read)
  }

  public func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let place = ProgramPlace(text: try request.place(in: self).key)
    let count = min(SourceProgram.pageSize, max(1, request.wanted ?? .max))
    let talk = try talk(waitingFor: Question(query: request.query, place: place)) ?? begin(request.query, after: place)
    defer { talk.emit() }
    let part: ProgramTalk.Part
    do {
      part = try await SystemThread.blocking {
        try talk.part(of: count)
      } onCancel: {
        talk.stop()
      }
    } catch {
      talk.stop()
      throw error
    }
    var page = try Page(of: self, rows: part.rows, ignoring: nil, reading: read)
    (page.bookmark, page.standing, page.more, page.isInOneOutput) = (part.bookmark, part.standing, !part.isLast, true)
    page.next = part.isLast ? .end : .token(part.place.text)
    // The rows of a limit may be asked for beyond it, if some of them were broken or had come before.
    if part.isLast { talk.stop() } else { wait(talk, for: Question(query: request.query, place: part.place)) }
    if isNeverEmpty, request.query == .everything, request.cursor == nil, part.rows.isEmpty {
      throw SourceError(.malformed, "the list is empty, which it never is")
    }
    return page
  }

  /// Returns the place after a cursor of the program.
  package static func place(afterCursor cursor: String) -> String { ProgramPlace(cursor: cursor).text }

  private func talk(waitingFor question: Question) -> ProgramTalk? {
    waiting.withLock { waiting in waiting.lastIndex { $0.question == question }.map { waiting.remove(at: $0).talk } }
  }

  private func wait(_ talk: ProgramTalk, for question: Question) {
    let old = waiting.withLock { waiting in
      waiting.append((question, talk))
      return waiting.count > Self.mostWaiting ? waiting.removeFirst().talk : nil
    }
    old?.stop()
  }

  private func begin(_ query: Query, after place: ProgramPlace) throws -> ProgramTalk {
    let id: @Sendable (JSON) -> String? = { [read] row in (try? read(row))?.id }
    return try call.talk(query, after: place, id: id)
  }
}

/// A program with all that its start needs.
package struct ProgramCall: Sendable {
  package let program: SourceProgram
  /// The members of a row that are its key; empty if they are not known.
  package var keys: [String] = []
  private let folder: String
  private let settings: Settings
  private let declared: [Setting]
  private let catalog: @Sendable () throws -> [UInt8]?
  /// The plan that is being made; nil if programs are started.
  private let plan: PlannedReading?
  /// The output that takes the place of a start, in a test of what a program printed.
  private var played: (lines: [[UInt8]], end: SourceError?)?

  /// A program that is described in `folder`, with the settings that its configuration names. `catalog` returns the tap's own one. In a
  /// plan it is never started.
  package init(
    _ program: SourceProgram, in folder: String, _ settings: Settings, naming declared: [Setting],
    planning plan: PlannedReading? = nil,
    catalog: @escaping @Sendable () throws -> [UInt8]? = { nil }
  ) {
    (self.program, self.folder, self.settings, self.declared) = (program, folder, settings, declared)
    (self.plan, self.catalog) = (plan, catalog)
  }

  /// Returns the same call, which plays these lines in place of a start.
  package func playing(_ lines: [[UInt8]], ending end: SourceError? = nil) -> ProgramCall {
    copy(of: self) { $0.played = (lines, end) }
  }

  /// Starts the program for a query.
  func talk(_ query: Query, after place: ProgramPlace, id: @escaping @Sendable (JSON) -> String?) throws -> ProgramTalk {
    if let tap = program.tap { return try talk(to: tap, query, after: place, id) }
    guard program.speech == .lines else {
      guard query == .everything else { throw SourceError(.badRequest, "the program only lists") }
      let (run, reader) = (try start([]), try plainReader)
      return ProgramTalk(run, reader, after: place, capped: .unverifiable, id: id)
    }
    var words: [String]
    switch query {
    case .everything: words = ["list"]
    case .matching(let text): words = ["search", text]
    case .record(let id): words = ["show", id]
    case .changed, .latest, .following: throw SourceError(.badRequest, "the program does not tell changes")
    }
    if let cursor = place.cursor {
      guard program.supports.contains(.after) else {
        throw SourceError(.foreignCursor, "the program cannot continue at a cursor")
      }
      words += ["--after", cursor]
    }
    return ProgramTalk(try start(words), FramedLines(), after: place, capped: nil, id: id)
  }

  private var plainReader: any MessageReader {
    get throws {
      switch program.speech {
      case .json(let path): PlainJSON(path)
      case .csv: PlainCSV()
      case .lines, .singer: throw SourceError(.badRequest, "the program prints no plain rows")
      }
    }
  }

  private func talk(
    to tap: SourceProgram.Tap, _ query: Query, after place: ProgramPlace, _ id: @escaping @Sendable (JSON) -> String?
  ) throws -> ProgramTalk {
    var state: String?
    switch query {
    case .everything: break
    case .following(let bookmark): state = bookmark
    default: throw SourceError(.badRequest, "a tap only lists")
    }
    let catalog = try catalog().map { try SingerCatalog($0) }
    // A person may have named another key than the tap when it was added.
    let added = catalog?.streams.first { $0.name == tap.stream }?.keys
    let option = tap.takesProperties ? "--properties" : "--catalog"
    let run = try start(
      [], files: [(option, catalog?.selecting(tap.stream)), ("--state", state.map { Array($0.utf8) })])
    // After a state only what changed comes.
    let isTrusted = tap.trustsExit && state == nil
    let reader = SingerMessages(
      tap.stream, needsSchema: isTrusted, keys: keys.isEmpty ? [] : [keys] + [added].compactMap(\.self))
    return ProgramTalk(
      run, reader, after: place, capped: isTrusted ? nil : .unverifiable, id: id)
  }

  /// The folders in which a program without a path is looked up.
  package static var searchedFolders: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin" }

  /// Starts the program with further arguments.
  func start(_ words: [String], files: [(option: String, contents: [UInt8]?)] = []) throws -> any ProgramOutput {
    if let played { return PlayedOutput(played.lines, ending: played.end) }
    guard !(program.command + words).contains(where: { $0.utf8.contains(0) }) else {
      throw SourceError(.badRequest, "a text for a program cannot hold the character U+0000")
    }
    guard let path = program.path(in: folder, searching: Self.searchedFolders) else { throw program.missing }
    if let plan { try plan.start(program.command + words) }
    let config = try program.configuration(settings, named: declared)
    let privateFiles = try PrivateFiles([("--config", config?.bytes)] + files)
    do {
      return try ProgramRun(path, Array(program.command.dropFirst()) + words, in: folder, with: privateFiles, hiding: settings)
    } catch {
      privateFiles.remove()
      throw error
    }
  }
}
