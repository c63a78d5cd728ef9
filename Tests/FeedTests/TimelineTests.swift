import AggregatorCore
import Testing

@testable import Feed

// Time diagrams: `Timeline` says what the signs mean.
@Suite("A feed over time") struct TimelineTests {
  private static func threeRows(_ page: Int, _ ticket: Ticket, _ text: String) -> FeedAnswer<Row> {
    .rows(ticket, page * 3..<page * 3 + 3)
  }

  private let trouble = SourceError(.unavailable, "the service is down")

  @Test("type quickly: one search, of the last text")
  func quickly() {
    let time = Timeline("spid........", answering: Self.threeRows)
    #expect(time.asks == "......1.....")
    #expect(time.head == "~~~~~~~~****")
    #expect(time.rows == "000000003333")
    #expect(time.searches == ["spid"])
  }

  @Test("type, pause, type again: the first search is given up, and its late answer changes nothing")
  func pause() {
    let time = Timeline("spi...d.......", latency: 4, answering: Self.threeRows)
    #expect(time.asks == ".....1...1....")
    #expect(time.head == "~~~~~~~~~~~~~*")
    // What the first search finds comes at the tenth column.
    #expect(time.rows == "00000000000003")
    #expect(time.searches == ["spi", "spid"])
    #expect(time.machine.state.items.map(\.id) == ["3", "4", "5"])
  }

  @Test("type and go back to what is shown: nothing is asked")
  func back() {
    let time = Timeline("a.......b.←.....", answering: Self.threeRows)
    #expect(time.asks == "...1............")
    #expect(time.head == "~~~~~***~~******")
    #expect(time.rows == "0000033333333333")
  }

  @Test("what is typed is searched for at once where that is wanted")
  func submit() {
    let time = Timeline("ab⏎......", answering: Self.threeRows)
    #expect(time.asks == "..1......")
    #expect(time.searches == ["ab"])
  }

  @Test("blanks around a text are no other text")
  func blanks() {
    let time = Timeline("a     ..........", answering: Self.threeRows)
    #expect(time.asks == "...1............")
    #expect(time.machine.state.typed == "a     ")
  }

  @Test("scroll past a failing page and try again: the rows stand, and scrolling on asks nothing")
  func failingPage() {
    let trouble = trouble
    let time = Timeline("⟳..↓..↓↓.!....") { page, ticket, _ in
      page == 1 ? .failed(ticket, trouble, nil) : .rows(ticket, page * 2..<page * 2 + 2)
    }
    #expect(time.asks == "1..2.....2....")
    #expect(time.tail == "+++~~!!!!~~+++")
    #expect(time.rows == "00222222222444")
    #expect(time.head == "~~************")
  }

  @Test("a first page that fails leaves the rows of before, and is tried again")
  func failingHead() {
    let trouble = trouble
    let time = Timeline("⟳..a.......!....") { page, ticket, _ in page == 1 ? .failed(ticket, trouble, nil) : .rows(ticket, page..<page + 2)
    }
    #expect(time.asks == "1.....1....1....")
    #expect(time.head == "~~*~~~~~!!!~~***")
    #expect(time.rows == "0022222222222222")
    #expect(time.machine.state.asked == "a")
  }

  @Test("delete while a page is loading: the row goes at once, does not come back with the page, and undo puts it at its place")
  func deleting() {
    let time = Timeline("⟳..↓✗...⎌....", latency: 3) { page, ticket, _ in
      // The second page repeats the first row.
      .rows(ticket, page == 0 ? [0, 1, 2] : [0, 3, 4])
    }
    #expect(time.asks == "1..2d...u....")
    #expect(time.rows == "0003224455555")
    #expect(time.machine.state.items.map(\.id) == ["0", "1", "2", "3", "4"])
  }

  @Test("a filter that runs dry asks for five pages by itself, then only by hand")
  func dry() {
    let time = Timeline("⟳..↓............↓↓+.............", latency: 2) { page, ticket, _ in
      .rows(ticket, page == 0 || page == 7 ? [page] : [])
    }
    #expect(time.asks == "1..2.2.2.2.2......2.2...........")
    #expect(time.tail == "+++~~~~~~~~~~?????~~~~++++++++++")
    #expect(time.rows == "00111111111111111111112222222222")
  }
}
