import AggregatorCore
import Asking
import Testing

@testable import MCP

/// The places of results, and what makes a list another one.
@Suite("Places") struct PlaceTests {
  private let question = ["the question"]

  @Test("a place is read back from its text") func text() throws {
    for basis: ToolPlace.Basis in [.live("walk"), .live(""), .kept("walk"), .bundled, .stored("digest")] {
      for start in [nil, ToolPlace.Start(answer: "an-answer_1", thread: "walk+3")] {
        let place = ToolPlace(after: "row", of: question, in: "list", on: basis, from: start, offset: 7, moves: 2)
        let read = try #require(ToolPlace(place.text))
        #expect(read.text == place.text && read.basis == basis && read.offset == 7 && read.moves == 2)
        #expect(read.start?.answer == start?.answer && read.start?.thread == start?.thread)
        #expect(read.isOf(question) && !read.isLost(after: "row", in: "list", on: basis))
      }
    }
  }

  @Test("another row, list or origin is another list, and another question is that") func lost() {
    let place = ToolPlace(after: "row", of: question, in: "list", on: .live("walk"), offset: 7)
    #expect(place.isLost(after: "another", in: "list", on: .live("walk")))
    #expect(place.isLost(after: nil, in: "list", on: .live("walk")))
    #expect(place.isLost(after: "row", in: "a list of another key", on: .live("walk")))
    #expect(!place.isOf(["another"]))
    for basis: ToolPlace.Basis in [.bundled, .stored("digest"), .kept("another walk")] {
      #expect(place.isLost(after: "row", in: "list", on: basis))
      let other = ToolPlace(after: "row", of: question, in: "list", on: basis, offset: 7)
      #expect(other.isLost(after: "row", in: "list", on: .live("walk")))
    }
  }

  @Test("what was cached of a walk continues that walk, and a service keeps its order") func goesOn() {
    #expect(ToolPlace.Basis.live("walk").goesOn(in: .kept("walk"), sorted: true))
    #expect(ToolPlace.Basis.live("walk").goesOn(in: .live("another"), sorted: false))
    #expect(!ToolPlace.Basis.live("walk").goesOn(in: .live("another"), sorted: true))
    #expect(!ToolPlace.Basis.live("").goesOn(in: .live(""), sorted: true))
    #expect(!ToolPlace.Basis.stored("one").goesOn(in: .stored("other"), sorted: false))
  }
}
