import AggregatorCore
import SourceTesting
import Testing

/// `partitions` and `read`, against a Comic Vine of 250 characters.
@Suite("partitions and read") struct PartCommandsTests {
  /// The ids that were printed in frames, and the last line.
  private func frames(_ outcome: Binary.Outcome) -> (ids: [Int], end: String) {
    let ids = outcome.lines.compactMap { $0.firstMatch(of: /^\{"item":\{"id":(\d+),"name":/).flatMap { Int($0.1) } }
    #expect(ids.count == outcome.lines.count - 1, "\(outcome.output)")
    return (ids, outcome.lines.last ?? "")
  }

  private func end(_ rows: Int, _ verdict: String = "complete", because reason: String? = nil) -> String {
    #"{"end":{"rows":\#(rows),"origin":{"kind":"live","age":null,"reason":null},"skipped":0,"duplicates":0,"#
      + #""misfits":{},"verdict":{"kind":"\#(verdict)","reason":\#(reason.map { "\"\($0)\"" } ?? "null")}}}"#
  }

  @Test("the parts of a list give every record once, each from the pages that a walk asks for")
  func parts() async throws {
    let vine = try FakeComicVine()
    let partitions = try await expect(vine.run("heroes partitions --count 8"), 0, errors: "").lines
    #expect(partitions.count == 3)
    #expect(partitions.allSatisfy { !$0.contains(" ") && !$0.contains(FakeComicVine.key) })
    var ids: [Int] = []
    for partition in partitions {
      let frames = try await frames(expect(vine.run("heroes read --format framed --partition \(partition)"), 0, errors: ""))
      #expect(frames.end == end(frames.ids.count))
      ids += frames.ids
    }
    #expect(ids == Array(1...250))
    #expect(vine.asked.compactMap { $0.firstMatch(of: /offset=(\d+)/)?.1 } == ["0", "99", "0", "99", "198"])
    let json = try await vine.run("heroes partitions --count 8 --format json").output
    #expect(json == "[" + partitions.map { #"{"partition":"\#($0)"}"# }.joined(separator: ",") + "]\n")
  }

  @Test("a part with a condition gives only the records that meet it; a search has parts of its own")
  func filters() async throws {
    let vine = try FakeComicVine()
    let partition = try await vine.run("heroes partitions --count 3").lines[1]
    let none = try await expect(vine.run("heroes read --format framed --where name=Nobody --partition \(partition)"), 0)
    #expect(none.output == end(0) + "\n")
    let one = try await vine.run(["heroes", "read", "--format", "framed", "--where", "name=Bat 102", "--partition", partition])
    #expect(frames(one).ids == [102])
    #expect(frames(one).end == end(1))
    let search = try await vine.run("heroes partitions --count 4 --search spider").lines
    #expect(search.count == 4)
    var ids: [Int] = []
    for partition in search {
      ids += try await frames(expect(vine.run("heroes read --format framed --search spider --partition \(partition)"), 0)).ids
    }
    #expect(ids == Array(stride(from: 1, through: 249, by: 2)))
    try await expect(vine.run("heroes read --search bat --partition \(search[0])"), 64, output: "")
  }

  @Test("a read that fails half-way is a partial answer, and one that fails at once prints no end frame")
  func failing() async throws {
    let vine = try FakeComicVine(.init(fails: { $0.contains("offset=198") }))
    let partitions = try await vine.run("heroes partitions --count 2").lines
    let whole = try await expect(vine.run("heroes read --format framed"), 3)
    #expect(frames(whole).ids.count == 199 && frames(whole).end.contains(#""kind":"partial","reason":"missing: up to "#))
    let none = try await expect(vine.run("heroes read --format framed --partition \(partitions[1])"), 69, output: "")
    #expect(!none.errors.contains("--live"))
  }

  @Test("a partition that was changed, or belongs to another source or address, exits 64, and nothing is asked")
  func strangers() async throws {
    let (vine, other) = (try FakeComicVine(), try FakeComicVine())
    let partition = try await vine.run("heroes partitions --count 3").lines[1]
    let asked = vine.asked.count
    try await expect(other.run("heroes read --partition \(partition)"), 64, output: "", errors: .has("another source, address or search"))
    try await expect(vine.run("countries read --partition \(partition)"), 64, output: "", errors: .has("another source, address or search"))
    for text in [String(partition.dropLast()), "9223372036854775808", "1:\(Int.min):x", "-"] {
      try await expect(vine.run("heroes read --partition=\(text)"), 64, output: "", errors: .has("is not a partition, or was changed"))
    }
    #expect(vine.asked.count == asked && other.asked.isEmpty)
  }

  @Test("the stored records are one part, for which the service is not asked")
  func offline() async throws {
    let vine = try FakeComicVine()
    try await expect(vine.run("heroes sync"), 0)
    let asked = vine.asked.count
    let partitions = try await vine.run("heroes partitions --count 3 --offline").lines
    #expect(partitions.count == 1)
    let read = try await expect(vine.run("heroes read --offline --format framed --partition \(partitions[0])"), 0)
    #expect(frames(read).ids.count == 250 && frames(read).end.contains(#""origin":{"kind":"cache","#))
    #expect(vine.asked.count == asked)
    try await expect(vine.run("heroes read --partition \(partitions[0])"), 64)
  }

  @Test("partitions and read use no stand-in for a service that does not answer")
  func live() async throws {
    let address = ["COMIC_VINE_BASE_URL": "http://127.0.0.1:1/"]
    for verb in ["partitions --count 2", "read --format framed"] {
      let outcome = try await expect(FakeComicVine().run("heroes \(verb)", environment: address), 69, output: "")
      #expect(!outcome.errors.contains("--live"))
    }
  }

  @Test("every list can be printed in frames, even an endless one")
  func framed() async throws {
    let list = try await expect(FakeComicVine().run("heroes list --limit 2 --fields id,name --format framed"), 0)
    #expect(
      list.output == """
        {"item":{"id":1,"name":"Spider 1"}}
        {"item":{"id":2,"name":"Bat 2"}}
        \(end(2, "bounded"))

        """)
    let people = try await InProcess.run("users read --offline --format framed --fields email", environment: Folder.homes(Folder.fresh()))
    #expect(people.lines.last?.contains(#""origin":{"kind":"bundled""#) == true && people.code == 0)
  }
}
