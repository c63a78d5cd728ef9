/// What a document says around its rows: the members of an envelope before them, or behind.
struct EnvelopeHead {
  /// Why a file is refused whole, although it could be read; what stands before it names the file and the line.
  struct Refusal: Error {
    var error: SourceError
  }

  /// The source whose records are wanted.
  let source: String
  /// The names of their fields.
  let fields: Set<String>
  /// What is missing in an answer that says of itself that it is incomplete.
  private(set) var shortage: String?

  init(of source: String, fields: Set<String>) { (self.source, self.fields) = (source, fields) }

  /// Whether the list called `name` holds rows, or envelopes, behind members that an envelope begins with.
  func isEnvelope(_ members: UnsafeBufferPointer<UInt8>, list name: Range<Int>) -> Bool {
    members[name].elementsEqual("items".utf8) && holdsList("items", behind: members, surely: ["source", "query"])
      || isOfAll(members, list: name)
  }

  /// Whether they are envelopes, those of a search over all sources.
  private func isOfAll(_ members: UnsafeBufferPointer<UInt8>, list name: Range<Int>) -> Bool {
    members[name].elementsEqual("sources".utf8) && holdsList("sources", behind: members, surely: ["query"])
  }

  private static let names: Set = ["source", "query", "origin", "total", "skipped", "duplicates", "verdict"]

  /// A record may have a list of that name itself: then the members before it decide.
  private func holdsList(_ name: String, behind members: UnsafeBufferPointer<UInt8>, surely marks: Set<String>) -> Bool {
    guard let head = Self.read(members) else { return false }
    let names = Set(head.members.map { $0.key }).subtracting([name])
    return names.isSubset(of: Self.names) && (!fields.contains(name) || names.isSuperset(of: marks))
  }

  /// The members before a list, which has begun.
  private static func read(_ members: UnsafeBufferPointer<UInt8>) -> JSON? { try? JSON(Array(members) + "null}".utf8) }

  /// Takes the members before the list called `name`. Throws where the file is not to be read on.
  mutating func take(_ members: UnsafeBufferPointer<UInt8>, before name: Range<Int>) throws {
    if isOfAll(members, list: name) { throw refusalOfAll }
    if let head = Self.read(members) { try take(head) }
  }

  /// Takes the members behind the list, with the brace at their end. Throws where they cannot be read, too.
  mutating func take(tail: UnsafeBufferPointer<UInt8>) throws { try take(JSON("{".utf8 + Array(tail))) }

  private mutating func take(_ envelope: JSON) throws {
    if let name = try? envelope.string("source"), name != source { throw refusal(of: name) }
    if let verdict = envelope["verdict"], (try? verdict.string("kind")) == "partial" {
      let reason = (try? verdict.string("reason")).map { Printable.clean($0) } ?? "it does not say why"
      shortage = Shortfall.recorded(reason).sentence
    }
  }

  private func refusal(of other: String) -> Refusal {
    let isPlain = !other.isEmpty && other.utf8.count <= 64 && other.utf8.allSatisfy { Self.isPlain($0) }
    guard isPlain else { return Refusal(error: SourceError(.malformed, "these are the records of another source")) }
    return Refusal(
      error: SourceError(
        .malformed, "these are \(other), not \(source)", remedy: .importInto(other)))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || byte == Byte.minus || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  /// Refuses a line of a search over all sources.
  func check(line row: JSON) throws {
    guard row.members.map({ $0.key }) == ["source", "item"], !fields.contains("item") else { return }
    throw refusalOfAll
  }

  private var refusalOfAll: Refusal {
    Refusal(
      error: SourceError(
        .malformed, "this is the answer of a search over all sources",
        remedy: .searchOne(of: source)))
  }
}
