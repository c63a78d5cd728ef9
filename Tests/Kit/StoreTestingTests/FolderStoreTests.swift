import AggregatorCore
import Platform
import ScratchFolders
import StoreTesting
import Testing

@Suite struct FolderStoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test("a store in a folder keeps every law")
  func laws() async {
    let laws = StoreLaws("folder") {
      let scratch = try ScratchFolder()
      return { FolderStore(at: scratch["store"]) }
    }
    let report = await laws.report()
    #expect(report.breaches.isEmpty, "\(report)")
  }

  @Test("a store in a folder keeps the law of promptness while another process has it locked")
  func promptness() async {
    let path = scratch["store"]
    let laws = StoreLaws("folder", locking: { _ in try lock(path) }) { { FolderStore(at: path) } }
    #expect(await laws.breach(of: .promptness) == nil)
  }

  /// Locks the store as another process does while it writes, and returns what unlocks it.
  private func lock(_ path: String) throws -> @Sendable () -> Void {
    let file = open("\(path)/lock", O_RDWR | O_CLOEXEC)
    try #require(file >= 0 && flock(file, LOCK_EX) == 0)
    return { flock(file, LOCK_UN) }
  }

  /// A store that has lists and nothing else.
  private struct MyLists: ListStore {
    let store: FolderStore

    func land(_ batch: Batch) async throws -> LandingResult { try await store.land(batch) }
    func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws { try await store.optimize(kind, bulk: isBulk) }
    func snapshot() async throws -> any RecordSnapshot { try await store.snapshot() }
    func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
      try await store.stamp(kind, stamp)
    }
  }

  @Test("a store that has only lists is held against their laws")
  func lists() async {
    let laws = StoreLaws("my lists") {
      let scratch = try ScratchFolder()
      return { StoreParts(lists: MyLists(store: FolderStore(at: scratch["store"]))) }
    }
    let report = await laws.report(of: [.lists])
    #expect(report.breaches.isEmpty, "\(report)")
    #expect(report.laws.count > 10)
    #expect(report.laws.contains(.order) && !report.laws.contains(.taking))
    #expect(await laws.breach(of: .taking, having: [.lists, .positions]) == "it failed: PositionStore is not written yet")
  }

  @Test("each law needs the parts that it names, and no others", arguments: StoreLaw.allCases)
  func parts(law: StoreLaw) async {
    func breach(without part: StorePart? = nil) async -> String? {
      let laws = StoreLaws("parts") {
        let (store, parts) = (StoreInMemory(), law.parts.subtracting([part].compactMap(\.self)))
        @Sendable func written(_ part: StorePart) -> StoreInMemory? { parts.contains(part) ? store : nil }
        return {
          StoreParts(
            lists: written(.lists), positions: written(.positions), syncs: written(.syncs), deletions: written(.deletions),
            answers: written(.answers), upkeep: written(.upkeep))
        }
      }
      return await laws.breach(of: law, having: law.parts)
    }
    #expect(await breach() == nil)
    // The law of promptness needs a store that another process can lock.
    for part in law.parts where law != .promptness { #expect(await breach(without: part) != nil, "it does not need \(part)") }
  }

  @Test("what a store has kept is read again by another one, from files that are JSON")
  func files() async throws {
    let (path, kind) = (scratch["store"], RecordKind("ports"))
    #expect(try await FolderStore(at: path).holdings().isEmpty)
    #expect(scratch.names(in: "store").isEmpty)
    _ = try await FolderStore(at: path).delete("7", of: kind, at: Moment(secondsSinceEpoch: 1))
    #expect(scratch.names(in: "store") == ["lock", "ports.json"])
    #expect(try JSON(scratch.bytes("store/ports.json"))["name"]?.asString() == "ports")
    #expect(try await FolderStore(at: path).deletions(of: kind) == ["7"])
    try scratch.write("store/ports.json", "half a fi")
    await #expect(throws: SourceError.self) { try await FolderStore(at: path).deletions(of: kind) }
  }

  @Test("the guide names every law of stores, under the last of the parts that the law is about")
  func names() throws {
    let path = #filePath.replacingEach("Tests/Kit/StoreTestingTests/FolderStoreTests.swift", with: "Docs/guides/write-a-store.md")
    let guide = String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self)
    var (section, sections) = ("", [String: String]())
    for line in guide.split(separator: "\n") {
      if line.hasPrefix("## ") { section = line.dropFirst(3).lowercased() }
      if line.hasPrefix("- ") { sections[String(line.dropFirst(2))] = section }
    }
    for law in StoreLaw.allCases {
      let part = StorePart.allCases.last { law.parts.contains($0) }.map { "\($0)" }
      #expect(sections[law.rawValue] == part, "\(law.rawValue)")
    }
  }
}
