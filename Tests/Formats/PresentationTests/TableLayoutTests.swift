import AggregatorCore
import Terminal
import Testing

@testable import Presentation

@Suite("The columns of a table that must be narrower")
struct TableLayoutTests {
  private typealias Column = TableLayout.Column

  private let id = TableLayout.Column(header: 2, cells: [8, 8], behaviour: .flexible, isID: true)

  @Test("with enough room each column is as wide as it wants, and no wider")
  func fits() {
    let layout = TableLayout(
      [id, Column(header: 4, cells: [10, 3], behaviour: .flexible), Column(header: 9, cells: [0, 1], behaviour: .whole)], in: 200)
    #expect(layout.widths == [8, 10, 9])
    #expect(layout.missed == [] && layout.cutIDs == [])
  }

  @Test("a column for spare room takes the room that is left, and is the first to be left out")
  func spare() {
    let columns = [id, Column(header: 4, cells: [10, 20], behaviour: .flexible), Column(header: 4, cells: [100, 90], behaviour: .extra)]
    #expect(TableLayout(columns, in: 80).widths == [8, 20, 48])
    #expect(TableLayout(columns, in: 56).widths == [8, 20, 24])
    #expect(TableLayout(columns, in: 55).widths == [8, 20, 0])
    #expect(TableLayout(columns, in: 55).missed == [2])
    #expect(TableLayout(columns, in: 20).widths == [8, 10, 0])
  }

  @Test("of several columns for spare room, those that fit stay")
  func someSpare() {
    let columns = [
      id, Column(header: 4, cells: [10, 20], behaviour: .flexible), Column(header: 4, cells: [100, 90], behaviour: .extra),
      Column(header: 4, cells: [30, 20], behaviour: .extra), Column(header: 3, cells: [6, 5], behaviour: .extra),
      Column(header: 3, cells: [50, 40], behaviour: .extra, isAddress: true),
    ]
    #expect(TableLayout(columns, in: 200).widths == [8, 20, 76, 30, 6, 50])
    #expect(TableLayout(columns, in: 120).widths == [8, 20, 48, 30, 6, 0])
    #expect(TableLayout(columns, in: 80).widths == [8, 20, 40, 0, 6, 0])
    #expect(TableLayout(columns, in: 80).missed == [3, 5])
    #expect(TableLayout(columns, in: 40).widths == [8, 20, 0, 0, 6, 0])
  }

  @Test("one long value takes no room from a column for spare room")
  func longValue() {
    let title = Column(header: 4, cells: [90] + Array(repeating: 20, count: 9), behaviour: .flexible, isTitle: true)
    let spare = Column(header: 4, cells: Array(repeating: 24, count: 10), behaviour: .extra)
    #expect(TableLayout([id, title, spare], in: 200).widths == [8, 90, 24])
    #expect(TableLayout([id, title, spare], in: 80).widths == [8, 44, 24])
    #expect(TableLayout([id, title, spare], in: 75).widths == [8, 65, 0])
  }

  @Test("a header is whole while values can be cut or other columns left out, but the title stays")
  func headers() {
    let columns = [
      id, Column(header: 5, cells: [30, 30], behaviour: .flexible, isTitle: true),
      Column(header: 16, cells: [3, 2], behaviour: .flexible), Column(header: 12, cells: [20, 20], behaviour: .flexible),
    ]
    #expect(TableLayout(columns, in: 60).widths == [8, 15, 16, 15])
    #expect(TableLayout(columns, in: 48).widths == [8, 6, 16, 12])
    #expect(TableLayout(columns, in: 47).widths == [8, 19, 16, 0])
    #expect(TableLayout(columns, in: 30).widths == [8, 20, 0, 0])
    let title = Column(header: 20, cells: [30, 30], behaviour: .flexible, isTitle: true)
    #expect(TableLayout([id, title], in: 18).widths == [8, 8])
    #expect(TableLayout(columns, in: 48, areChosen: true).widths == [8, 6, 16, 12])
    #expect(TableLayout(columns, in: 40, areChosen: true).widths == [8, 9, 9, 8])
  }

  @Test("a column that repeats one value is left out before others are cut, and is reported unless it is empty")
  func constant() {
    let columns = [
      id, Column(header: 6, cells: [6, 6], behaviour: .flexible, isConstant: true),
      Column(header: 4, cells: [30, 20], behaviour: .flexible),
      Column(header: 5, cells: [0, 0], behaviour: .flexible, isConstant: true),
    ]
    #expect(TableLayout(columns, in: 55).widths == [8, 6, 30, 5])
    #expect(TableLayout(columns, in: 54).widths == [8, 6, 30, 0])
    #expect(TableLayout(columns, in: 54).missed == [])
    #expect(TableLayout(columns, in: 40).widths == [8, 0, 30, 0])
    #expect(TableLayout(columns, in: 40).missed == [1])
    #expect(TableLayout(columns, in: 39).widths == [8, 0, 29, 0])
  }

  @Test("a column that repeats one value stays if the record wants it whole, and if it is the title")
  func constantWhole() {
    let columns = [
      id, Column(header: 6, cells: [6, 6], behaviour: .whole, isConstant: true), Column(header: 4, cells: [30, 20], behaviour: .flexible),
    ]
    #expect(TableLayout(columns, in: 40).widths == [8, 6, 22])
    let namesakes = [id, Column(header: 6, cells: [6, 6], behaviour: .flexible, isTitle: true, isConstant: true), columns[2]]
    #expect(TableLayout(namesakes, in: 40).widths == [8, 6, 22])
  }

  @Test("a cut address is useless, so its column is left out before others are cut")
  func address() {
    let columns = [
      id, Column(header: 3, cells: [40, 30], behaviour: .flexible, isAddress: true),
      Column(header: 4, cells: [20, 20], behaviour: .flexible),
    ]
    #expect(TableLayout(columns, in: 72).widths == [8, 40, 20])
    #expect(TableLayout(columns, in: 71).widths == [8, 0, 20])
    #expect(TableLayout(columns, in: 71).missed == [1])
  }

  @Test("flexible columns share the room by their values: one long value in ten does not take the others' room")
  func sharing() {
    let long = Column(header: 4, cells: [100] + Array(repeating: 10, count: 9), behaviour: .flexible)
    let even = Column(header: 4, cells: Array(repeating: 20, count: 10), behaviour: .flexible)
    #expect(TableLayout([long, even], in: 42).widths == [20, 20])
    #expect(TableLayout([long, even], in: 32).widths == [10, 20])
    #expect(TableLayout([long, even], in: 28).widths == [10, 16])
  }

  @Test("columns that cannot be narrower are left out from the right, the title last, and never the id")
  func last() {
    let columns = [
      Column(header: 4, cells: [40, 40], behaviour: .flexible, isTitle: true), id, Column(header: 6, cells: [10, 9], behaviour: .whole),
      Column(header: 5, cells: [12, 11], behaviour: .flexible),
    ]
    #expect(TableLayout(columns, in: 36).widths == [6, 8, 10, 6])
    #expect(TableLayout(columns, in: 35).widths == [13, 8, 10, 0])
    #expect(TableLayout(columns, in: 20).widths == [10, 8, 0, 0])
    #expect(TableLayout(columns, in: 15).widths == [0, 8, 0, 0])
    #expect(TableLayout(columns, in: 15).missed == [0, 2, 3])
    #expect(TableLayout(columns, in: 15).cutIDs == [])
  }

  @Test("an id is cut only if it is wider than the terminal")
  func cutID() {
    #expect(TableLayout([id, Column(header: 1, cells: [1, 2], behaviour: .flexible)], in: 5).widths == [5, 0])
    #expect(TableLayout([id, Column(header: 1, cells: [1, 2], behaviour: .flexible)], in: 5).cutIDs == [0])
    #expect(TableLayout([id], in: 8).cutIDs == [])
  }

  @Test("columns that a person chose are all cut before one is left out")
  func chosen() {
    let columns = [
      Column(header: 4, cells: [30, 30], behaviour: .extra), Column(header: 4, cells: [30, 30], behaviour: .hidden),
      Column(header: 4, cells: [9, 9], behaviour: .flexible, isConstant: true),
    ]
    #expect(TableLayout(columns, in: 40, areChosen: true).widths == [14, 13, 9])
    #expect(TableLayout(columns, in: 20, areChosen: true).widths == [9, 9, 0])
  }

  @Test("columns are never wider than the terminal, and at least one is shown", arguments: [1, 2, 7, 20, 40, 80, 200])
  func bounds(width: Int) {
    let dice = SeededDice(seed: 11)
    let sizes = [0, 1, 5, 20, 100, 1_000_000]
    let behaviours: [FieldWidth] = [.whole, .flexible, .extra, .hidden]
    for _ in 0..<2_000 {
      let columns = (0...dice.index(below: 7)).map { index in
        Column(
          header: sizes[dice.index(below: 4)] + 1, cells: (0..<3).map { _ in sizes[dice.index(below: 6)] },
          behaviour: behaviours[dice.index(below: 4)],
          isID: index == 1, isTitle: dice.index(below: 2) == 0, isAddress: dice.index(below: 4) == 0, isConstant: dice.index(below: 3) == 0)
      }
      let layout = TableLayout(columns, in: width, areChosen: dice.index(below: 2) == 0)
      let shown = layout.widths.filter { $0 > 0 }
      #expect(!shown.isEmpty)
      #expect(shown.reduce(0, +) + 2 * (shown.count - 1) <= width)
      if columns.count > 1 { #expect(layout.widths[1] > 0) }
    }
  }
}
