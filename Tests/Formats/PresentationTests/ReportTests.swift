import AggregatorCore
import Asking
import Presentation
import Terminal
import Testing

@Suite("Reports")
struct ReportTests {
  private static let moment = Moment(secondsSinceEpoch: 1_763_870_459)

  private static func changed(_ before: Thing, _ after: Thing) -> [FoundChange] {
    Thing.schema.outline.differences(of: Thing.schema.value(of: before), with: Thing.schema.value(of: after)).filter(\.isReal).map {
      FoundChange(.changed, of: "orders", at: moment, id: after.id, title: after.name, difference: $0)
    }
  }

  private static let text =
    "Born in a small harbour town, the engineer spent three decades repairing lighthouses along the northern coast."
  private static let changes =
    changed(
      Thing(id: "7", name: "Ria", badge: "A", place: Thing.Place(city: "Riga", code: "LV")),
      Thing(id: "7", name: "リア 東京タワー", badge: nil, about: text, place: Thing.Place(city: "Tallinn", code: "LV")))
    + [
      FoundChange(.gone, of: "orders", at: moment, id: "4", title: "Old\tMill\u{202E}"),
      FoundChange(.new, of: "orders", at: moment, id: "QQ", title: "QQ"),
    ]

  @Test("a report of one source has counts, what to do, then each record with its values before and after, in 72 columns")
  func one() {
    var part = Report.Part(
      "orders",
      "1 new, 1 updated, 1 gone (412 unchanged); incomplete: the list changed while it was read; 3 missing")
    part.notes = ["position saved; type 'aggregator orders sync' to continue as soon as the service answers"]
    (part.changes, part.rest, part.command) = (Self.changes, 9980, "aggregator orders changes --since 2025-11-23T04:00:59Z")
    var report = Report(hasTimes: false)
    report.parts = [part]
    #expect(
      report.text == """
        orders: 1 new, 1 updated, 1 gone (412 unchanged); incomplete: the list
          changed while it was read; 3 missing
          position saved; type 'aggregator orders sync' to continue as soon as
          the service answers

        リア 東京タワー (7): updated
          name        Ria → リア 東京タワー
          badge       A → (none)
          about       (none)
                      → Born in a small harbour town, the engineer spent three
                        decades repairing lighthouses along the northern coast.
          place.city  Riga → Tallinn
        Old Mill (4): gone
        QQ: new
        and 9980 more: aggregator orders changes --since 2025-11-23T04:00:59Z

        """)
  }

  @Test("a report of several sources has a total, a line for each, and the records with their source and time")
  func several() {
    var (one, other) = (Report.Part("orders", "1 gone, 1 new"), Report.Part("heroes", "failed: no key"))
    (one.changes, one.rest, one.command) = (
      Array(Self.changes.suffix(2)), 3, "aggregator our-older-orders changes --since 2025-11-23T04:00:59Z"
    )
    other.notes = ["type it"]
    var report = Report(hasTimes: true)
    (report.total, report.parts, report.end) = ("2 sources: 1 complete, 1 failed", [one, other], ["the end"])
    #expect(
      report.text == """
        2 sources: 1 complete, 1 failed

        orders: 1 gone, 1 new
        heroes: failed: no key
          type it

        Old Mill (orders 4): gone 2025-11-23 04:00 UTC
        QQ (orders QQ): new 2025-11-23 04:00 UTC
        and 3 more:
          aggregator our-older-orders changes --since 2025-11-23T04:00:59Z

        the end

        """)
    #expect(Report(hasTimes: true).text == "")
  }

  @Test("a report cuts long names and many fields, and the cut is visible")
  func cut() {
    let long = String(repeating: "塔", count: 500)
    var part = Report.Part(long, long)
    let difference = Self.changes[0].difference
    part.changes = (0..<25).map { _ in
      FoundChange(.changed, at: Self.moment, id: long, title: "\u{1B}[31m" + long, difference: difference)
    }
    var report = Report(hasTimes: true)
    report.parts = [part]
    let lines = report.text.split(separator: "\n")
    #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 72 }, "\(report.text)")
    #expect(lines.last == "  … and 5 more fields" && lines.contains { $0.contains("塔…") })
    #expect(!report.text.contains("\u{1B}"))
  }
}
