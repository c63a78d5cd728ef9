package import AggregatorCore
import Platform
package import Programs
import Recordings
package import Services

/// A manifest made of what a program says of itself, or of the rows that it prints.
package struct ProgramDraft: Sendable {
  /// The name of the source.
  package let name: String
  /// The manifest as it is written to its file.
  package let contents: ManifestContents
  /// The catalog of a tap, with the name of its file.
  package private(set) var catalog: (name: String, bytes: [UInt8])?
  /// The keys that a configuration had, by the names of their settings. The manifest has only the names.
  package private(set) var keys: [(setting: String, value: Secret)] = []
  /// The parts that were found out, for a person: a subject and a clause each.
  package private(set) var findings: [(subject: String, text: String)] = []

  // MARK: - A tap

  /// The draft of one stream of a tap. `named` are the fields that tell its rows apart, if a person names them. `config` has the configuration
  /// with the keys in it; the draft keeps only their names.
  package init(
    _ name: String, tap command: [String], stream: SingerCatalog.Stream, keys named: [String]?, in catalog: [UInt8],
    config: Value?
  ) throws {
    let own = named ?? stream.keys
    guard !own.isEmpty else { throw Self.keyless(stream.name) }
    let file = "\(name).catalog"
    var tap = SourceProgram.Tap(stream: stream.name)
    tap.catalog = file
    var program = SourceProgram(command, speaking: .singer(tap))
    let (config, keys) = Self.hidingKeys(in: config ?? .object([]), of: name)
    program.config = config
    let summary = "\(stream.name) of \(Self.title(command))"
    let source = try Self.source(name, summary, program, [stream.sample], keys: own)
    try self.init(name, source.source, keys: keys.map(\.setting))
    (self.catalog, self.keys) = ((file, catalog), keys)
    findings =
      [
        ("stream", stream.name),
        ("id", "\(own.joined(separator: ", ")) (\(named == nil ? "the tap says so" : "it was named"))"),
      ] + source.findings
    findings.append(("end", "no walk is complete: a tap has no word for it"))
  }

  /// The error for a stream whose equal rows could not be told apart.
  package static func keyless(_ stream: String) -> SourceError {
    SourceError(
      .settings, "the stream \(stream) names no key, so equal rows would be one",
      remedy: .give([.init("id", "FIELD")], "to name its key").or(.give([.init("stream", "NAME")], "to name another stream")))
  }

  /// Returns a configuration with the names of settings in place of the keys in it.
  private static func hidingKeys(in config: Value, of name: String) -> (Value, [(setting: String, value: Secret)]) {
    var keys: [(setting: String, value: Secret)] = []
    func hidden(_ value: Value, called names: [String]) -> Value {
      if let members = value.members {
        return .object(members.map { Member(name: $0.name, value: hidden($0.value, called: names + [$0.name])) })
      }
      if let elements = value.list { return .list(elements.map { hidden($0, called: names) }) }
      guard let text = value.text, !text.isEmpty, let last = names.last, SecretName.isUsual(last, holding: text) else {
        return value
      }
      let words = ([name] + names).flatMap { NameWords.words(in: $0, longest: .max) }
      let setting = words.joined(separator: "_").uppercased()
      if !keys.contains(where: { $0.setting == setting }) { keys.append((setting, Secret(text))) }
      return ["setting": .text(setting)]
    }
    return (hidden(config, called: []), keys)
  }

  // MARK: - A program of framed lines, or of plain rows

  /// The draft of a program that describes itself: a source of a manifest without its command, and the keys and settings beside it.
  package init(_ name: String, program command: [String], describing itself: [UInt8]) throws {
    guard let told = (try? JSON(itself))?.value, let members = told.members, told["fields"] != nil else {
      throw SourceError(.malformed, "\(Self.title(command)) describe printed no description with \"fields\"")
    }
    let beside = ["keys", "settings"]
    let own = members.filter { !beside.contains($0.name) && $0.name != "command" && $0.name != "summary" }
    let summary = told["summary"]?.text ?? "rows of \(Self.title(command))"
    let source: [Member] =
      [Member(name: "summary", value: .text(summary)), Member(name: "command", value: .list(command.map(Value.text)))] + own
    let document: [Member] =
      [Member(name: "aggregator", value: .int(Manifest.version))] + members.filter { beside.contains($0.name) }
      + [Member(name: "sources", value: .object([Member(name: name, value: .object(source))]))]
    (self.name, contents) = (name, try ManifestContents(Value.object(document).prettyBytes, at: "\(name).json"))
    findings = [("description", "the program's own")]
  }

  /// The draft of a program with these rows. `keys` are the fields that tell them apart; they are guessed without it.
  package init(_ name: String, printing rows: [Value], by program: SourceProgram, keys: [String]? = nil) throws {
    let source = try Self.source(name, "rows of \(Self.title(program.command))", program, rows, keys: keys)
    try self.init(name, source.source)
    findings = source.findings
    if program.speech != .lines {
      findings.append(("end", "no walk is complete: the program does not say whether its rows are all"))
    }
  }

  private init(_ name: String, _ source: ManifestSource, keys: [String] = []) throws {
    let manifest = Manifest(
      file: "\(name).json", address: nil, texts: [],
      keys: keys.map { ManifestKey(Setting($0, .secret, Setting.usualSummary(.secret)), nil) }, headers: [], sources: [source])
    (self.name, contents) = (name, try ManifestContents(manifest.value.prettyBytes, at: "\(name).json"))
  }

  private static func source(
    _ name: String, _ summary: String, _ program: SourceProgram, _ rows: [Value], keys: [String]?
  ) throws -> (source: ManifestSource, findings: [(subject: String, text: String)]) {
    if let strange = keys?.first(where: { key in !rows.contains { $0[key] != nil } }) {
      let known = rows.first?.members?.map { ValuePath([$0.name]) } ?? []
      throw SourceError(hint: "id", ValuePath([strange]), among: known)
    }
    let guess = keys == nil ? ListGuesser.key(of: rows, listed: [name]) : nil
    let key = keys.flatMap { $0.count == 1 ? ValuePath([$0[0]]) : nil } ?? guess?.value
    let title = ListGuesser.title(of: rows, in: nil, key: key)
    let titlePaths = title.map { ListGuesser.titlePaths($0.value, in: rows) } ?? []
    let drafted = FieldDrafter(of: rows, key: key, title: titlePaths, unwrap: nil)
    let names =
      keys?.compactMap { drafted.name(at: ValuePath([$0])) } ?? key.flatMap { drafted.name(at: $0) }.map { [$0] } ?? []
    guard !names.isEmpty, names.count == keys?.count ?? 1 else {
      throw SourceError(.settings, "no field tells the rows apart", remedy: "describe the source by hand, with a \"key\"")
    }
    var source = ManifestSource(
      name: name, summary: summary, list: .ofProgram(), key: names, fields: drafted.fields)
    source.program = program
    source.isKeyGuessed = guess?.confidence == .weak
    var findings: [(subject: String, text: String)] = []
    if let guess { findings.append(("id", "\(names[0]) (\(guess.reason))")) }
    if let title, let name = drafted.name(at: title.value) { findings.append(("title", name)) }
    if drafted.leftOut > 0 {
      findings.append(("fields", "the first \(drafted.fields.count); \(drafted.leftOut) more are left out"))
    }
    return (source, findings)
  }

  /// The last part of the program's path, and its first arguments.
  private static func title(_ command: [String]) -> String {
    let words = [command.first?.split(separator: "/").last.map(String.init) ?? ""] + command.dropFirst().prefix(2)
    return words.joined(separator: " ")
  }
}
