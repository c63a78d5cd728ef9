import AggregatorCore
import Platform
import Testing

@testable import AggregatorCommand

/// The file of the statements that were typed.
@Suite("The history of statements") struct StatementHistoryTests {
  private func mode(of path: String) -> UInt32? { try? SystemFiles().read(path, upTo: 1 << 24).permissions }

  @Test("statements come back in their order, whatever they consist of, from a file that only its owner can read")
  func kept() throws {
    let folder = try Folder.fresh() + "/new"
    let history = StatementHistory(in: folder)
    #expect(history.read() == [])
    let statements = ["SELECT 1;", "SELECT\n'a\\n b'\n;", "\\d x", "SELECT '\\\\';", "é 東 🇯🇵"]
    for statement in statements { try history.add(statement) }
    #expect(history.read() == statements && StatementHistory(in: folder).read() == statements)
    #expect(mode(of: "\(folder)/sql_history") == 0o600)
    // Even if something has changed that.
    #expect(chmod("\(folder)/sql_history", 0o644) == 0)
    try history.add("again")
    #expect(mode(of: "\(folder)/sql_history") == 0o600)
  }

  @Test("what begins with a space, what is too long and what has no folder is not kept")
  func unkept() throws {
    let folder = try Folder.fresh()
    let history = StatementHistory(in: folder)
    for statement in [" SELECT 'a secret';", "", String(repeating: "x", count: 5_000), "\nSELECT 1"] { try history.add(statement) }
    #expect(history.read() == [])
    try StatementHistory(in: nil).add("SELECT 1")
    #expect(StatementHistory(in: nil).read() == [])
  }

  @Test("the last thousand are kept, and only their owner can read them")
  func bounded() throws {
    let folder = try Folder.fresh()
    let history = StatementHistory(in: folder)
    try Folder.write((0..<1_200).map { "SELECT \($0);\n" }.joined(), to: "\(folder)/sql_history")
    #expect(history.read().count == 1_000 && history.read().first == "SELECT 200;")
    try history.add("the last")
    let lines = try Folder.read("\(folder)/sql_history").split(separator: "\n")
    #expect(lines.count == 1_000 && lines.first == "SELECT 201;" && lines.last == "the last")
    #expect(mode(of: "\(folder)/sql_history") == 0o600)
  }

  @Test("two prompts at once keep the statements of both")
  func both() async throws {
    let folder = try Folder.fresh()
    let filled = (0..<990).map { "SELECT \($0);" }
    try Folder.write(filled.map { $0 + "\n" }.joined(), to: "\(folder)/sql_history")
    await withTaskGroup(of: Void.self) { group in
      for prompt in 0..<4 {
        group.addTask {
          let history = StatementHistory(in: folder)
          for number in 0..<20 { try? history.add("\(prompt) \(number)") }
        }
      }
    }
    let kept = StatementHistory(in: folder).read()
    #expect(kept.count == 1_000)
    #expect(Set(kept.suffix(80)) == Set((0..<4).flatMap { prompt in (0..<20).map { "\(prompt) \($0)" } }))
  }

  @Test("a link to a device is left alone, and a folder in its place is an error")
  func odd() throws {
    let folder = try Folder.fresh()
    #expect(symlink("/dev/null", "\(folder)/sql_history") == 0)
    let history = StatementHistory(in: folder)
    try history.add("SELECT 1")
    #expect(history.read() == [])
    var status = stat()
    #expect(lstat("\(folder)/sql_history", &status) == 0 && mode_t(status.st_mode) & S_IFMT == S_IFLNK)
    let other = try Folder.fresh()
    #expect(mkdir("\(other)/sql_history", 0o700) == 0)
    #expect(throws: FileProblem.self) { try StatementHistory(in: other).add("SELECT 1") }
  }
}
