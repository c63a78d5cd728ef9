import AggregatorCore
import Platform
import SourceTesting
import Testing

@Suite("users next, at once and killed") struct UsersRaceTests {
  @Test("two shells that ask at once, fifty times, never show the same person, and skip no one")
  func together() async throws {
    let people = try FakeRandomUser(size: 7)
    var shown: [String] = []
    for _ in 0..<50 {
      let outputs = [try Scratch(), try Scratch()]
      let shells = try outputs.map { try people.start(3, output: $0) }
      for shell in shells { #expect(shell.wait() == 0) }
      let printed = try outputs.map { try $0.text().split(separator: "\n").map(String.init) }
      #expect(printed.map(\.count) == [3, 3])
      shown += printed.flatMap { $0 }
    }
    #expect(Set(shown).count == 300)
    // People who were fetched and not shown come next. Then everybody in the log has been shown once.
    shown += try await people.emails("next --offline --limit 1000")
    let pages = Set(people.pages)
    #expect(pages == Set(1...(pages.max() ?? 1)))
    #expect(shown.sorted() == pages.flatMap { page in (0..<7).map { "p\(page)-\($0)@example.com" } }.sorted())
  }

  @Test("after a kill at any moment the store opens, has everybody who has been shown, and shows no one twice")
  func killed() async throws {
    let rounds = Tool.variable("AGGREGATOR_KILLS").flatMap { Int($0) } ?? 25
    let people = try FakeRandomUser(size: 4)
    let dice = SeededDice(seed: 11)
    var shown: [String] = []
    // The number of looks until an undisturbed run has ended; it is the range of the dice.
    let first = try Scratch()
    let undisturbed = try people.start(3, output: first)
    var life = 1
    while !undisturbed.hasEnded { life += 1 }
    _ = undisturbed.wait()
    shown += try first.text().split(separator: "\n").map(String.init)
    // A quarter of the kills must come while the command runs. How long it runs depends on what else the machine does.
    var (kills, round) = (0, 0)
    while kills < rounds / 4 + 1 || round < rounds {
      round += 1
      let output = try Scratch()
      let shell = try people.start(3, output: output)
      // A random moment: while it starts, asks, stores or prints.
      for _ in 0..<dice.index(below: life) where shell.hasEnded { break }
      shell.send(SIGKILL)
      // About two of three are killed, even if the machine becomes slower or faster.
      if shell.wait() == -SIGKILL {
        kills += 1
        life += life / 16 + 1
      } else {
        life = max(1, life - life / 8 - 1)
      }
      // A line that was cut in the middle shows no one.
      let text = try output.text()
      shown += text.split(separator: "\n").dropLast(text.isEmpty || text.hasSuffix("\n") ? 0 : 1).map(String.init)
      let next = try await people.run("next --limit 1 --format tsv --fields email")
      #expect(next.code == 0, "round \(round): \(next.errors)")
      shown += next.lines
    }
    #expect(Set(shown).count == shown.count)
    #expect(try await Set(people.emails("list --all --offline")).isSuperset(of: shown))
  }
}
