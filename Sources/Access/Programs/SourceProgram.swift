public import AggregatorCore
import Platform

/// A program that prints the records of a source, and how it is asked for them.
public struct SourceProgram: Sendable, Hashable {
  /// The way in which a program tells its records.
  public enum Speech: Sendable, Hashable {
    /// Lines with an item each, and one at the end that says whether these are all: `{"item":…}`, `{"end":{"verdict":"complete"}}`.
    case lines
    /// Rows alone, in JSON or ndjson; the rows of a document are at the path.
    case json(ValuePath)
    /// Rows alone, in csv with a header.
    case csv
    /// The messages of Singer.
    case singer(Tap)
  }

  /// The stream of a Singer tap.
  public struct Tap: Sendable, Hashable {
    /// The name of the stream among those of the tap.
    public var stream: String
    /// The file beside the description that has the tap's own catalog; nil if the tap gets none.
    public var catalog: String?
    /// True for a tap of the old kind, which takes its catalog as `--properties`.
    public var takesProperties = false
    /// True when a person says that exit code 0 means that everything came.
    public var trustsExit = false

    /// A stream of a tap without a catalog.
    public init(stream: String) { self.stream = stream }
  }

  /// A part of the protocol that a program may have beside `list`.
  public enum Support: String, Sendable, Hashable, CaseIterable {
    /// `search TEXT` prints what matches.
    case search
    /// `show ID` prints one record.
    case show
    /// `list --after CURSOR` continues after the rows before that cursor.
    case after
  }

  /// The program and its first arguments. A name without a slash is looked up on the `PATH`, another path below the folder of the
  /// description.
  public var command: [String]
  /// The way in which it tells its records.
  public var speech: Speech
  /// The parts of the protocol that it has beside `list`.
  public var supports: Set<Support> = []
  /// The configuration for the program's private file, in which `{"setting": NAME}` stands for a value. Nil if it gets no such file.
  public var config: Value?

  /// A program with that command.
  public init(_ command: [String], speaking speech: Speech) { (self.command, self.speech) = (command, speech) }

  /// The stream of a tap; nil for a program of another kind.
  public var tap: Tap? { if case .singer(let tap) = speech { tap } else { nil } }

  /// The beginning of the names of programs that are made to be sources.
  package static let prefix = "aggregator-source-"

  /// The most rows of a page.
  package static let pageSize = 100

  /// The pages of its list.
  package static let paging = Paging.keyset(size: pageSize, end: .more)

  /// The rules by which its rows are read, as text. They have no key.
  package var rules: String {
    let speech =
      switch speech {
      case .lines: "lines"
      case .json(let path): "json \(path.text)"
      case .csv: "csv"
      case .singer(let tap): "singer \(tap.stream) \(tap.trustsExit)"
      }
    let config = config.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-"
    return "program \(command.joined(separator: "\u{1}")) \(speech) \(config)"
  }

  /// Returns the name in `{"setting": NAME}`; nil for any other value.
  package static func settingName(_ value: Value) -> String? {
    guard let members = value.members, members.count == 1, members[0].name == "setting" else { return nil }
    return members[0].value.text
  }

  /// Returns the configuration with the values of the settings. Throws if one of them is missing.
  func configuration(_ settings: Settings, named declared: [Setting]) throws(SourceError) -> Value? {
    guard let config else { return nil }
    return try Self.filled(config, settings, declared)
  }

  private static func filled(_ value: Value, _ settings: Settings, _ declared: [Setting]) throws(SourceError) -> Value {
    if let name = settingName(value) {
      guard let setting = declared.first(where: { $0.name == name }) else { return .null }
      let text = setting.isSecret ? settings.secret(setting)?.reveal() : settings.text(setting)
      if let text { return .text(text) }
      if setting.isOptional { return .null }
      throw settings.failure(of: name) ?? SourceError(.missingKey, "\(name) is not set", remedy: .set([name]))
    }
    switch value {
    case .object(let members):
      var filled: [Member] = []
      for member in members {
        let value = try Self.filled(member.value, settings, declared)
        // An optional key without a value is left out.
        if settingName(member.value) == nil || !value.isNull { filled.append(Member(name: member.name, value: value)) }
      }
      return .object(filled)
    case .list(let elements):
      var filled: [Value] = []
      for element in elements { filled.append(try Self.filled(element, settings, declared)) }
      return .list(filled)
    default: return value
    }
  }
}

// MARK: - Files of the program

extension SourceProgram {
  /// Returns the path of the program's file; nil if it is not there. `folder` has the description.
  package func path(in folder: String, searching folders: String) -> String? {
    guard let name = command.first, !name.isEmpty else { return nil }
    guard name.utf8.contains(UInt8(ascii: "/")) else { return ChildProcess.find(name, in: folders) }
    let path = Paths.join(folder, name)
    return ChildProcess.canRun(path) ? path : nil
  }

  /// Returns the files that a person's leave is for: the program, and each file that its arguments name.
  package func files(in folder: String, searching folders: String) -> [String] {
    let arguments = command.dropFirst().map { Paths.join(folder, $0) }.filter { path in
      var status = stat()
      return !path.utf8.contains(0) && stat(path, &status) == 0 && mode_t(status.st_mode) & S_IFMT == S_IFREG
    }
    return [path(in: folder, searching: folders)].compactMap(\.self) + arguments
  }

  /// The error for a program whose file is not there.
  package var missing: SourceError {
    SourceError(
      .noTransport, "the program \(Printable.clean(command.first ?? "")) is not installed, or not on the PATH",
      remedy: "install it, or correct \"command\" in the source's file")
  }
}
