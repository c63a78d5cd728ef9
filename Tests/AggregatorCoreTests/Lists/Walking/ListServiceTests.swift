import AggregatorCore
import Testing

@Suite("Services that are drawn by chance")
struct ListServiceTests {
  @Test("no walk that misses a lasting row is complete, every walk ends, and whole walks over honest lists are complete")
  func model() async throws {
    var (wrong, endless, twice): ([UInt64], [UInt64], [UInt64]) = ([], [], [])
    var (honest, complete, hiding, madeUp) = (0, 0, 0, 0)
    var (uncounted, unseen) = (0, 0)
    for seed in 0..<max(3_000, ChangingListTests.seeds) {
      let service = ListService.drawn(seed: seed)
      // Every fifth list is read by many walks, each of which knows nothing but a cursor.
      let isInRuns = seed % 5 == 0
      let walk = try await ListServiceWalk(service, inRuns: isInRuns)
      let isWrong = walk.verdict == .complete && !walk.isWhole && !service.mayDeceive
      if service.mayMakeUp { (hiding, madeUp) = (hiding + 1, madeUp + (isWrong ? 1 : 0)) } else if isWrong { wrong.append(seed) }
      if walk.isEndless { endless.append(seed) }
      if service.hidesUncountedRows, !walk.isWhole {
        (uncounted, unseen) = (uncounted + 1, unseen + (walk.verdict == .complete ? 1 : 0))
      }
      guard !isInRuns else { continue }
      if walk.repeatsRow { twice.append(seed) }
      guard service.isHonestAndCalm || service.isHonestAndRestless else { continue }
      honest += 1
      complete += walk.verdict == .complete ? 1 : 0
    }
    #expect(wrong.isEmpty)
    #expect(endless.isEmpty)
    #expect(twice.isEmpty)
    // A row that was read and then deleted makes up for one that is in no page.
    #expect(madeUp * 50 <= hiding)
    // Rows that no total counts are seen to be missing by pages that differ in length.
    #expect(unseen * 5 <= uncounted, "\(unseen) of \(uncounted)")
    #expect(complete * 100 >= honest * 95)
  }

  @Test("rows that may count twice prove no end: the last page came again, for a run that knows its place alone")
  func rowsThatCountTwice() async throws {
    let walk = try await ListServiceWalk(.drawn(seed: 167_185), inRuns: true)
    #expect(walk.verdict == .unverifiable && !walk.isWhole)
  }
}
