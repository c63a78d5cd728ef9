import AggregatorCore
import Recordings

extension [Value] {
  /// True for days and times in ISO 8601, and for numbers that count from 1970.
  func areTimes(called name: String) -> Bool {
    allSatisfy { $0.text.map { CalendarDay(iso: $0) != nil } ?? false } || areUnixTimes(called: name)
  }

  /// True for numbers that count from 1970, in seconds or milliseconds. If the name suggests a time, they must lie
  /// between 1990 and 2100. With another name they must lie between 2000 and 2040 in at least three different rows, and
  /// the name must not suggest an amount or an ID.
  func areUnixTimes(called name: String) -> Bool {
    let words = NameWords.words(in: name, longest: .max).map { $0.lowercased() }
    let isNamed = words.contains { word in
      ["time", "date", "created", "updated", "modified", "published", "expires"].contains { word.contains($0) }
        || ["at", "utc", "epoch", "ts", "since", "until", "seen", "started", "ended", "due"].contains(word)
    }
    let isOther = words.contains { amounts.contains($0) || $0.hasSuffix("id") }
    guard isNamed || !isOther && Set(self).count > 2 else { return false }
    let range = isNamed ? 631_152_000...4_102_444_800 : 946_684_800...2_208_988_800
    return allSatisfy { value in
      guard value.text == nil, let number = value.int else { return false }
      return range.contains(number) || range.contains(number / 1000) && number > range.upperBound
    }
  }
}

/// Words in names of numbers that are not times.
private let amounts: Set<String> = [
  "amount", "area", "balance", "budget", "bytes", "capacity", "code", "cost", "count", "distance", "ean", "gtin", "hash",
  "isbn", "key", "length", "memory", "no", "nr", "number", "phone", "population", "price", "revenue", "score", "seed", "serial",
  "size", "sum", "total", "value", "views", "volume", "zip",
]
