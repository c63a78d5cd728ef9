import Testing

/// Every error that a person can meet, in one file that is read from top to bottom.
///
/// After a change of words run these tests once with `AGGREGATOR_REWRITE=1`, and read what became of the file.
@Suite("Errors, each provoked") struct GoldenTests {
  private static let path = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/errors.txt"

  @Test("say what the golden file says, and it says nothing else")
  func golden() async throws {
    var parts: [String] = []
    for act in Act.all { parts.append("== \(act.title)\n\n" + (try await act.scenes.played { $0.errors }).joined(separator: "\n")) }
    let all = parts.joined(separator: "\n\n")
    if Tool.variable("AGGREGATOR_REWRITE") != nil { try Folder.write(all, to: Self.path) }
    let golden = try Folder.read(Self.path)
    for part in parts { #expect(golden.contains(part), "AGGREGATOR_REWRITE=1 writes it anew") }
    #expect(golden.count == all.count)
  }

  @Test(
    "use no phrase that has to be read twice",
    arguments: [
      "; leave", " is none", "is none of", "was left as it is", "behind it", " none of the ", "moments ago", "contradict", "nobody",
      " is no ",
      "there is no \"", "there are ", "stands in", "what stands", "was never kept", "kept answer", "that was kept", "goes on",
      "begins again",
      "is due", "broke off", "ran out", "unless told", "to come back", "could not resolve", "this is not everything", "was shown",
      " forgot",
      "mend ", "such as it is", "asks for fewer", "it is there",
    ])
  func plain(phrase: String) throws {
    let found = try Self.messages.filter { $0.contains(phrase) }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("begin with the program and go on in lower case, without a full stop; lengths of time have a unit that stands apart")
  func shape() throws {
    for message in try Self.messages {
      guard message.hasPrefix("aggregator: ") else {
        #expect(["did you mean ", "usage: aggregator ", "type 'aggregator help"].contains { message.hasPrefix($0) }, "\(message)")
        continue
      }
      #expect(!message.hasSuffix("."), "\(message)")
      #expect(message.firstMatch(of: /[( ]\d+(ms|s|m|h|d|w)\b/) == nil || message.contains("such as 5, 500ms or 2m"), "\(message)")
      #expect(!message.contains(" ;") && !message.contains(";;") && !message.contains(": ;"), "\(message)")
    }
  }

  /// What is said in the file, line by line.
  private static var messages: [String] {
    get throws { try Folder.read(path).split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) } }
  }
}

/// Answers from what is compiled in, in one file that is read from top to bottom and says itself what is typed.
///
/// To add one write its line, `0   $ aggregator …`, run this once with `AGGREGATOR_REWRITE=1`, and read what came of it.
@Suite("Answers that never change") struct GoldenAnswerTests {
  @Test("are what the golden file says")
  func golden() async throws {
    let path = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/answers.txt"
    let golden = try Folder.read(path)
    let heads = golden.split(separator: "\n").filter { $0.first?.isNumber == true || $0.hasPrefix("== ") }.map(String.init)
    let scenes = heads.filter { !$0.hasPrefix("== ") }.map { Scene(String($0.dropFirst(6))) }
    var played = try await scenes.played { $0.output + $0.errors }[...]
    let parts = heads.map { $0.hasPrefix("== ") ? $0 + "\n" : played.removeFirst() }
    if Tool.variable("AGGREGATOR_REWRITE") != nil { try Folder.write(parts.joined(separator: "\n"), to: path) }
    for part in parts { #expect(golden.contains(part), "AGGREGATOR_REWRITE=1 writes it anew") }
    #expect(golden == parts.joined(separator: "\n"))
  }
}

extension [Scene] {
  /// What each of them comes to, in order; they are played side by side.
  fileprivate func played(showing text: @escaping @Sendable (Binary.Outcome) -> String) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, scene) in enumerated() { group.addTask { (index, try await scene.played(showing: text)) } }
      var texts: [Int: String] = [:]
      for try await (index, text) in group { texts[index] = text }
      return texts.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}
