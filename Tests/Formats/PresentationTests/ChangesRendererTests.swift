import AggregatorCore
import Asking
import Presentation
import RecordFormats
import Terminal
import Testing

@Suite("Changes of records")
struct ChangesRendererTests {
  private static let now = Moment(secondsSinceEpoch: 1_000_000)
  private static let earlier = now - .seconds(7_300)

  private static func changed(_ before: Thing, _ after: Thing, title: String? = nil) -> [FoundChange] {
    Thing.schema.outline.differences(of: Thing.schema.value(of: before), with: Thing.schema.value(of: after)).filter(\.isReal).map {
      FoundChange(.changed, at: earlier, id: after.id, title: title ?? after.name, difference: $0)
    }
  }

  private func lines(
    _ changes: [FoundChange], width: Int?, from source: String? = nil, style: Style = Style(isColored: false)
  ) throws -> [String] {
    let page = Page()
    let layout = Layout(isTerminal: width != nil, width: width ?? 80, style: style)
    var renderer = ChangesRenderer(for: layout, at: Self.now, into: page, ofSeveral: source != nil)
    // Printed one by one, as they come.
    for change in changes {
      let own = FoundChange(
        change.kind, of: source ?? "", at: change.at, id: change.id, title: change.title, difference: change.difference)
      try renderer.print([own])
    }
    try renderer.end()
    return page.lines
  }

  private static let text = "Born in a small harbour town, the engineer spent three decades repairing lighthouses along the northern coast."
  private static let some =
    [
      FoundChange(.gone, at: earlier, id: "4", title: "Old Mill"), FoundChange(.new, at: earlier, id: "QQ", title: "QQ"),
      FoundChange(.new, at: earlier, id: "R", title: ""),
    ]
    + changed(
      Thing(id: "7", name: "Ria", badge: "A", place: Thing.Place(city: "Riga", code: "LV")),
      Thing(id: "7", name: "Ria Prima", badge: nil, about: text, place: Thing.Place(city: "Tallinn", code: "LV")))
    + [FoundChange(.new, at: earlier, id: "8", title: "New Mill")]

  @Test(
    "changes have a heading for each record, and each value before and after, at eighty, forty and twenty columns",
    arguments: [
      (
        80,
        """
        Old Mill (4): gone 2 h ago
        QQ: new 2 h ago
        R: new 2 h ago

        Ria Prima (7): updated 2 h ago
          name        Ria → Ria Prima
          badge       A → (none)
          about       (none)
                      → Born in a small harbour town, the engineer spent three decades
                        repairing lighthouses along the northern coast.
          place.city  Riga → Tallinn

        New Mill (8): new 2 h ago
        """
      ),
      (
        40,
        """
        Old Mill (4): gone 2 h ago
        QQ: new 2 h ago
        R: new 2 h ago

        Ria Prima (7): updated 2 h ago
          name        Ria → Ria Prima
          badge       A → (none)
          about       (none)
                      → Born in a small harbour
                        town, the engineer spent
                        three decades repairing
                        lighthouses along the
                        northern coast.
          place.city  Riga → Tallinn

        New Mill (8): new 2 h ago
        """
      ),
      (
        20,
        """
        Old Mill (4):
          gone 2 h ago
        QQ: new 2 h ago
        R: new 2 h ago

        Ria Prima (7):
          updated 2 h ago
          name
            Ria
            → Ria Prima
          badge
            A
            → (none)
          about
            (none)
            → Born in a
              small harbour
              town, the
              …
              northern
              coast.
          place.city
            Riga
            → Tallinn

        New Mill (8):
          new 2 h ago
        """
      ),
    ])
  func widths(width: Int, text: String) throws {
    let shown = try lines(Self.some, width: width).joined(separator: "\n")
    #expect(shown == text)
  }

  @Test("what changed alike in many records has one line below the others, at any width")
  func folds() throws {
    func changes(_ count: Int, from city: (Int) -> String?, to other: String?) -> [FoundChange] {
      (0..<count).flatMap { number in
        Self.changed(
          Thing(id: "\(number)", name: "A", place: Thing.Place(city: city(number))),
          Thing(id: "\(number)", name: number == 3 ? "B" : "A", place: Thing.Place(city: other)))
      }
    }
    func text(_ changes: [FoundChange], width: Int = 80, ofSeveral: Bool = false) throws -> [String] {
      let page = Page()
      let folded = FoldedChanges(changes)
      let layout = Layout(isTerminal: true, width: width, style: Style(isColored: false))
      var renderer = ChangesRenderer(for: layout, at: Self.now, into: page, ofSeveral: ofSeveral)
      try renderer.print(folded.changes)
      try renderer.end(folded.folds)
      return page.lines
    }
    let heading = ["B (3): updated 2 h ago", "  name  A → B", ""]
    #expect(try text(changes(12, from: { "c\($0)" }, to: nil)) == heading + ["place.city: 12 × to (none)"])
    #expect(try text(changes(10, from: { _ in "Riga" }, to: "Bern")) == heading + ["place.city: 10 × Riga → Bern"])
    #expect(try text(changes(10, from: { _ in nil }, to: "Bern")) == heading + ["place.city: 10 × (none) → Bern"])
    #expect(try text(changes(9, from: { _ in "Riga" }, to: nil)).count > 18)
    let long = String(repeating: "東京\u{202E}\u{1B}[2J ", count: 40)
    for width in [20, 40, 80] {
      let lines = try text(changes(10, from: { _ in "\(long)1" }, to: "\(long)2"), width: width, ofSeveral: true)
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= width && Printable.clean($0) == $0 }, "\(lines)")
    }
  }

  @Test("without a terminal every change has one line")
  func piped() throws {
    let lines = try lines(Self.some, width: nil)
    #expect(lines.contains("  about       (none) → \(Self.text)"))
  }

  @Test("a record of one of several sources is named as 'show' takes it")
  func sources() throws {
    #expect(
      try lines(Array(Self.some.prefix(3)), width: 80, from: "mills") == [
        "Old Mill (mills 4): gone 2 h ago", "QQ (mills QQ): new 2 h ago", "mills R: new 2 h ago",
      ])
  }

  @Test("long texts are shown around their difference, and values that look alike are shown with their type")
  func alike() throws {
    let (long, other) = (Self.text + " " + Self.text, Self.text + " " + Self.text.replacing("three", with: "four"))
    let shown = try lines(Self.changed(Thing(name: "A", about: long), Thing(name: "A", about: other)), width: 60)
    #expect(
      shown == [
        "A (1): updated 2 h ago", "  about  …the engineer spent three decades repairing…",
        "         → …the engineer spent four decades repairing…",
      ])
    #expect(
      try lines(Self.changed(Thing(name: "A", about: "a\u{7}b"), Thing(name: "A", about: "ab")), width: 60).last
        == #"  about  "a\u0007b" → "ab""#)
  }

  @Test("no line with a service's text is wider than the terminal, or controls it", arguments: [20, 40, 80])
  func hostile(width: Int) throws {
    for (before, after) in zip(Thing.hostile, Thing.hostile.dropFirst() + Thing.hostile.prefix(1)) {
      let lines = try lines(Self.changed(before, after), width: width, from: "things")
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= width && Printable.clean($0) == $0 }, "\(lines)")
    }
  }

  @Test("colors are shown on a terminal that has them")
  func colors() throws {
    #expect(
      try lines([Self.some[0]], width: 80, style: Style(isColored: true)) == [
        "\u{1B}[1mOld Mill (4)\u{1B}[0m: \u{1B}[36mgone\u{1B}[0m\u{1B}[2m 2 h ago\u{1B}[0m"
      ])
  }
}

@Suite("Two compared records")
struct ComparisonTests {
  private func compare(_ one: Thing, _ other: Thing, width: Int, tall isTall: Bool = false) throws -> [String] {
    let page = Page()
    let layout = Layout(isTerminal: true, width: width, style: Style(isColored: false))
    let records = Thing.schema.shown([one, other])
    let comparison = Comparison(of: records[0], with: records[1], in: Thing.schema.outline)
    if isTall { return comparison.text(for: layout).split(separator: "\n").map(String.init) }
    let (fields, moment) = (Difference.fields.map { $0.outline }, Moment(nanoseconds: 0))
    var columns = Columns(try Selection(nil, of: fields, detail: true), of: fields, at: moment)
    columns.headings = comparison.headings(for: layout)
    var renderer = Format.table.renderer(columns, for: layout, into: page)
    try renderer.write(ShownRecord.rows(comparison.differences, of: Difference.fields, at: moment))
    return page.lines
  }

  @Test(
    "two compared records have their titles as headings, which differ even where they are cut",
    arguments: [
      ("Ria", "Mia", 80, "FIELD   *  Ria  Mia"),
      ("Ria", "Ria", 80, "FIELD   *  1 Ria  2 Ria"),
      (nil, "Ria", 80, "FIELD   *  1  Ria"),
      (
        "Stainless steel kettle for the stove, 1.5 l", "Stainless steel kettle for the stove, 2 l", 40,
        "FIELD   *  …1.5 l         …2 l"
      ),
      ("Stainless steel kettle", "Walnut Desk Lamp of oak", 40, "FIELD   *  Stainless ste…  Walnut Desk L…"),
    ] as [(String?, String, Int, String)])
  func titles(one: String?, other: String, width: Int, header: String) throws {
    let lines = try compare(Thing(id: "1", name: one), Thing(id: "2", name: other), width: width)
    let words = lines[0].split(separator: " ").joined(separator: " ")
    #expect(words == header.split(separator: " ").joined(separator: " "))
  }

  @Test("two records that are compared below each other show common values once, and all values whole", arguments: [30, 40])
  func tall(width: Int) throws {
    let about = "the brother of a rather long name"
    let lines = try compare(
      Thing(id: "1", name: "Ria", badge: "B", about: about), Thing(id: "2", name: "Mia", badge: "B"), width: width, tall: true)
    #expect(
      lines == [
        "name *", "  Ria: Ria", "  Mia: Mia", "id *", "  Ria: 1", "  Mia: 2", "badge: B", "about *",
      ]
        + (width == 40
          ? ["  Ria: the brother of a rather long name"] : ["  Ria: the brother of a rather", "       long name"])
        + ["  Mia: (none)"])
  }

  @Test("two compared records are below each other only on a narrow terminal")
  func narrow() {
    func isTall(_ width: Int, onTerminal isTerminal: Bool = true) -> Bool {
      Comparison.isTall(in: Layout(isTerminal: isTerminal, width: width, style: Style(isColored: false)))
    }
    #expect(isTall(40) && !isTall(60) && !isTall(80) && !isTall(40, onTerminal: false))
  }
}
