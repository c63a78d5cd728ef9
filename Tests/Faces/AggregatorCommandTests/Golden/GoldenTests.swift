import Testing

/// Every error that a person can meet, in one file that is read from top to bottom and names each command.
///
/// To add an error write its line, `64  $ aggregator …`, and its cause, `    # HTTP 503`; causes that the file cannot express are in
/// `Scene.special`. After a change of words run these tests once with `AGGREGATOR_REWRITE=1`, and read what changed in the file.
@Suite("Errors, each provoked") struct GoldenTests {
  private static let path = goldenPath(of: "errors.txt")

  @Test("the errors are those of the golden file, and each special scene is in it")
  func golden() async throws {
    let scenes = try await playEach(in: Self.path, between: "\n") { $0.errors }
    for scene in Scene.special {
      let isPlayed = scenes.contains { $0.command == scene.command && $0.circumstance == scene.circumstance }
      #expect(isPlayed, "\(scene.command) is not in the file")
    }
  }

  @Test(
    "errors use no phrase that has to be read twice",
    arguments: phrases)
  func plain(phrase: String) throws {
    let found = try Self.messages.filter { $0.contains(phrase) }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("errors begin with the program's name and end without a full stop; lengths of time have a separate unit")
  func shape() throws {
    #expect(phrases.count > 20, "phrases.txt was not read")
    for message in try Self.messages {
      guard message.hasPrefix("aggregator: ") else {
        // Lists from which a person can choose are numbered.
        let isOther = ["did you mean ", "usage: aggregator ", "type 'aggregator help", "(usage of "].contains { message.hasPrefix($0) }
        #expect(isOther || message.firstMatch(of: /^ *\d+  http/) != nil, "\(message)")
        continue
      }
      #expect(!message.hasSuffix("."), "\(message)")
      // What a person may type has none.
      let isTyped = ["such as 5, 500ms or 2m", "write 2w, yesterday"].contains { message.contains($0) }
      #expect(message.firstMatch(of: /[( ]\d+(ms|s|m|h|d|w)\b/) == nil || isTyped, "\(message)")
      #expect(!message.contains(" ;") && !message.contains(";;") && !message.contains(": ;"), "\(message)")
    }
  }

  /// The messages in the file, line by line.
  private static var messages: [String] {
    get throws { try Folder.read(path).split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) } }
  }
}

/// Answers from the bundled copies, in another such file.
@Suite("Answers that never change") struct GoldenAnswerTests {
  @Test("answers from bundled data are those of the golden file")
  func golden() async throws { try await playEach(in: goldenPath(of: "answers.txt")) { $0.output + $0.errors } }
}

/// The phrases that have to be read twice. `Scripts/lint-words` forbids them in comments, titles and guides.
private let phrases = ((try? Folder.read(goldenPath(of: "phrases.txt"))) ?? "").split(separator: "\n").map(String.init)

private func goldenPath(of name: String) -> String {
  #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
}

/// Plays the scenes of a file, those under one heading at once, and expects the texts of the file. `gap` comes before a heading.
///
/// Successive scenes with the same text share that text. Two last lines `usage: …` and `type 'aggregator help …' for more` that an earlier
/// scene has shown are written as `(usage of …)`.
@discardableResult
private func playEach(
  in path: String, between gap: String = "", showing text: @escaping @Sendable (Binary.Outcome) -> String
) async throws -> [Scene] {
  let golden = try Folder.read(path)
  var (played, parts): ([Scene], [String]) = ([], [])
  var usages: [String: String] = [:]
  for section in golden.split(separator: "== ") {
    let lines = section.split(separator: "\n").map(String.init)
    let scenes = lines.dropFirst().filter { $0.first?.isNumber == true }.map { Scene(head: $0) }
    parts.append((parts.isEmpty ? "" : gap) + "== \(lines[0])\n")
    let said = try await withThrowingTaskGroup(of: (Int, Scene.Said).self) { group in
      for (index, scene) in scenes.enumerated() { group.addTask { (index, try await scene.played(showing: text)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
    }
    for (index, one) in said.enumerated() {
      if index > 0, said[index - 1].lines == one.lines {
        // Inserts it after the heads that are there already.
        let text = parts.removeLast().split(separator: "\n", omittingEmptySubsequences: false)
        let heads = text.prefix { $0.first?.isNumber == true }
        parts.append((heads + [one.head[...]] + text.dropFirst(heads.count)).joined(separator: "\n"))
      } else {
        parts.append(([one.head] + shortened(one.lines, known: &usages)).joined(separator: "\n") + "\n")
      }
    }
    played += scenes
  }
  if Tool.variable("AGGREGATOR_REWRITE") != nil { try Folder.write(parts.joined(separator: "\n"), to: path) }
  for part in parts where !golden.contains(part) { Issue.record("\(part)\nAGGREGATOR_REWRITE=1 writes it anew") }
  #expect(golden.utf8.count == parts.joined(separator: "\n").utf8.count)
  return played
}

/// Returns the lines without a usage that an earlier scene shows for the same help.
private func shortened(_ lines: [String], known usages: inout [String: String]) -> [String] {
  guard let usage = lines.dropLast().last, usage.hasPrefix("    usage: "), let help = lines.last,
    let command = help.wholeMatch(of: #/ {4}type 'aggregator help(.*)' for more/#)?.output.1
  else { return lines }
  defer { usages[help] = usage }
  return usages[help] == usage ? lines.dropLast(2) + ["    (usage of\(command.isEmpty ? " aggregator" : command))"] : lines
}
