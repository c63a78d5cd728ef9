import AggregatorCore
import Platform
import Programs

/// The program of a source, as a manifest describes it.
extension SourceProgram {
  private enum Prints: String, CaseIterable { case lines, json, csv }

  /// Reads the program of a source; nil if a service has its records. `settings` are the names that its configuration may have.
  init?(_ node: ManifestNode, naming settings: [String]) throws {
    guard let place = node["singer"] ?? node["command"] else {
      for member in ["config", "prints", "supports"] where node[member] != nil {
        throw node.error("\"\(member)\" goes with the command of a program", at: member)
      }
      return nil
    }
    if let singer = node["singer"] {
      for member in ["command", "config", "prints", "supports", "rows"] where node[member] != nil {
        throw node.error("\"\(member)\" does not go with \"singer\"", at: member)
      }
      try singer.check(["command", "config", "stream", "catalog", "takesProperties", "trust"])
      var tap = try Tap(stream: singer.member("stream").text())
      tap.catalog = try singer["catalog"].map(ManifestSource.fileName)
      tap.takesProperties = try singer["takesProperties"]?.isTrue() ?? false
      tap.trustsExit = try singer["trust"].map { try $0.choice([Trust.exit]) } != nil
      self.init(try singer.member("command").command(), speaking: .singer(tap))
      config = try singer["config"]?.configuration(naming: settings) ?? .object([])
      return
    }
    let path = try node["rows"]?.path()
    let prints = try node["prints"]?.choice(Prints.allCases) ?? .lines
    if path != nil, prints != .json { throw node.error("\"rows\" goes with \"prints\": \"json\"", at: "rows") }
    let speech: Speech =
      switch prints {
      case .lines: .lines
      case .json: .json(path ?? ValuePath())
      case .csv: .csv
      }
    self.init(try place.command(), speaking: speech)
    supports = try Set(node["supports"]?.elements().map { try $0.choice(Support.allCases) } ?? [])
    if speech != .lines, !supports.isEmpty {
      throw node.error("a program that prints rows alone supports nothing more", at: "supports")
    }
    config = try node["config"]?.configuration(naming: settings)
  }

  private enum Trust: String { case exit }

  /// The members of a source that describe its program.
  var members: [(String, Value?)] {
    let command = Value.list(command.map(Value.text))
    if let tap {
      let singer = Value.object(leavingOutNil: [
        "command": command, "config": config == .object([]) ? nil : config, "stream": .text(tap.stream),
        "catalog": tap.catalog.map(Value.text),
        "takesProperties": tap.takesProperties ? true : nil, "trust": tap.trustsExit ? "exit" : nil,
      ])
      return [("singer", singer)]
    }
    let (prints, rows): (Value?, Value?) =
      switch speech {
      case .json(let path): ("json", path.steps.isEmpty ? nil : .text(path.text))
      case .csv: ("csv", nil)
      case .lines, .singer: (nil, nil)
      }
    let supports = Support.allCases.filter(supports.contains).map { Value.text($0.rawValue) }
    return [
      ("command", command), ("prints", prints), ("rows", rows), ("supports", supports.isEmpty ? nil : .list(supports)),
      ("config", config),
    ]
  }
}

extension ManifestNode {
  /// Returns a command: a list of at least one text.
  fileprivate func command() throws -> [String] {
    let words = try texts()
    guard let first = words.first, !first.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
      throw error("a command is a list of texts: the program, and its arguments")
    }
    return words
  }

  /// Returns a configuration in which every `{"setting": NAME}` names a setting or a key of this file.
  fileprivate func configuration(naming settings: [String]) throws -> Value {
    guard json.kind == .object else { throw error("expected an object") }
    try check(settings: json.value, settings)
    return json.value
  }

  private func check(settings value: Value, _ names: [String]) throws {
    if let name = SourceProgram.settingName(value) {
      guard !names.contains(name) else { return }
      throw error("\(name) is not among the \"settings\" or the \"keys\" of this file\(Self.hint(name, names, else: ""))")
    }
    for part in value.members?.map(\.value) ?? value.list ?? [] { try check(settings: part, names) }
  }
}
