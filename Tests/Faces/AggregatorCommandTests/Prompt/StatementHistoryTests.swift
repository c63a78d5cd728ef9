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
  func both() throws {
    let folder = try Folder.fresh()
    try Folder.write((0..<990).map { "SELECT \($0);\n" }.joined(), to: "\(folder)/sql_history")
    let ends = (0..<4).map { _ in Signal() }
    for (prompt, end) in ends.enumerated() {
      SystemThread.start {
        let history = StatementHistory(in: folder)
        for number in 0..<50 { try? history.add("\(prompt) \(number)") }
        end.send()
      }
    }
    for end in ends { end.wait() }
    let kept = StatementHistory(in: folder).read()
    #expect(kept.count == 1_000)
    #expect(Set(kept.suffix(200)) == Set((0..<4).flatMap { prompt in (0..<50).map { "\(prompt) \($0)" } }))
  }

  @Test("anything but a plain file is left alone, and a folder in its place is an error")
  func odd() throws {
    let folder = try Folder.fresh()
    #expect(mkfifo("\(folder)/sql_history", 0o640) == 0)
    let reader = open("\(folder)/sql_history", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let history = StatementHistory(in: folder)
    try history.add("SELECT 1")
    var byte: UInt8 = 0
    #expect(history.read() == [] && read(reader, &byte, 1) < 1)
    var status = stat()
    #expect(fstat(reader, &status) == 0 && status.st_mode & 0o777 == 0o640)
    let other = try Folder.fresh()
    #expect(mkdir("\(other)/sql_history", 0o700) == 0)
    #expect(throws: FileProblem.self) { try StatementHistory(in: other).add("SELECT 1") }
  }
}
