import AggregatorCore
import Asking
import Testing

@Suite struct RequirementTests {
  private func summary(_ verdict: Verdict = .complete, _ origin: Origin?) -> Summary {
    var summary = Summary()
    (summary.verdict, summary.origin) = (verdict, origin)
    return summary
  }

  @Test("what holds says nothing, and what does not says why")
  func shortfalls() throws {
    #expect(try Requirement.all(in: "complete, live,found,age<1d") == [.complete, .live, .found, .age(below: .seconds(86_400))])
    let (complete, live, young) = (Requirement.complete, Requirement.live, Requirement.age(below: .seconds(86_400)))
    let fresh = summary(.complete, .live)
    let old = summary(.bounded, .cache(age: .seconds(90_000)))
    #expect([complete, live, young].allSatisfy { $0.shortfall(of: fresh) == nil })
    #expect(complete.shortfall(of: old) == "the answer is bounded, not complete")
    #expect(live.shortfall(of: old) == "the answer is not live (cache)")
    #expect(young.shortfall(of: old) == "the answer is 1 day 1 h old, not younger than 1 day")
    #expect(young.shortfall(of: summary(.complete, .cache(age: .seconds(5)))) == nil)
    #expect(young.shortfall(of: summary(.complete, .bundled)) == "the age of the answer is not known (bundled)")
    #expect(Requirement.found.shortfall(of: fresh) == "nothing was found")
    #expect(live.shortfall(of: summary(.complete, nil)) == "the answer is not live (no answer)")
  }

  @Test("what cannot be required is refused", arguments: ["", "fresh", "age<", "age<0", "age<-1d", "complete,", "age>1d"])
  func refused(text: String) {
    #expect(throws: SourceError.self) { try Requirement.all(in: text) }
  }
}
