import Testing

/// The whole screen at each step of a run, as in a golden file.
///
/// After a change of words run the test once with `AGGREGATOR_REWRITE=1`, and read what changed in the file.
final class GoldenScreens {
  private let shell: Multiplexer
  private let path: String
  private let isRewriting = Tool.variable("AGGREGATOR_REWRITE") != nil
  private let golden: [String: String]
  private var seen: [(step: String, screen: String)] = []

  init(_ name: String, of shell: Multiplexer) throws {
    self.shell = shell
    path = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Golden/Screens/\(name).txt"
    golden = try Self.read(path)
  }

  /// Presses keys, and waits until the screen is that of the golden file. If the file is being rewritten, waits until `text` shows.
  func see(_ step: String, _ text: String, pressing keys: String...) throws {
    for key in keys { try shell.press(key) }
    let screen: String
    if isRewriting {
      try shell.wait(text) { $0.contains(text) && ($0.contains("loading") == text.contains("loading")) }
      screen = try shell.wait("a screen that stays") { try $0 == shell.lines.joined(separator: "\n") }.golden
    } else {
      screen = try #require(golden[step], "AGGREGATOR_REWRITE=1 writes it anew")
      #expect(screen.contains(text))
      try shell.wait("\"\(step)\" as it is in \(path)") { $0.lines.golden == screen }
    }
    if !seen.contains(where: { $0.step == step }) { seen.append((step, screen)) }
  }

  /// Expects that every step of the file was seen, or writes the file.
  func end() throws {
    if isRewriting { try Folder.write(seen.map { "== \($0.step)\n\n\($0.screen)" }.joined(), to: path) }
    #expect(Set(seen.map(\.step)) == Set(try Self.read(path).keys))
  }

  private static func read(_ path: String) throws -> [String: String] {
    let parts = try Folder.read(path).split(separator: "== ").map { $0.split(separator: "\n\n", maxSplits: 1) }
    return Dictionary(parts.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }) { $1 }
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}

extension [String] {
  /// The lines of a screen in the form of a golden file: indented by two columns, without the empty lines at the end.
  fileprivate var golden: String {
    var lines = self
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { $0.isEmpty ? "\n" : "  \(Self.agreed($0))\n" }.joined() + "\n"
  }

  /// Returns a line without the times of the clock and without what terminals treat differently: what they join to an emoji, how many
  /// columns it has, and how many marks a letter may have.
  private static func agreed(_ line: String) -> String {
    line.replacing(/(\u{200D}[\u{1F000}-\u{1FAFF}]?)+/.matchingSemantics(.unicodeScalar), with: "")
      .replacing(/[\u{300}-\u{36F}]{2,}/.matchingSemantics(.unicodeScalar), with: "")
      .replacing(/([\u{FE0F}\u{1F000}-\u{1FAFF}]) +/.matchingSemantics(.unicodeScalar)) { "\($0.output.1) " }
      .replacing(/\d+ s: waiting for 127\.0\.0\.1:\d+(; .*hand)( +[-|\/\\])?/) { "1 s: waiting for 127.0.0.1:80\($0.output.1)" }
      .replacing(/cached (just now|\d+ s ago|\d+ min ago)/, with: "cached just now")
  }
}
