// Measures how fast a page of hero records becomes records. `read-bench FILE` prints the median of 25 readings. `read-bench FILE by-hand`
// prints what declared fields cost beside rows that are read by hand, and exits 1 if they take 1.1 × the time: a key path is followed at
// run time then.
import AggregatorCore
import Foundation

let arguments = CommandLine.arguments.dropFirst()
let comparesByHand = arguments.dropFirst() == ["by-hand"]
guard arguments.count == 1 || comparesByHand, let file = arguments.first,
  let page = FileManager.default.contents(atPath: file).map(Array.init)
else {
  print("usage: read-bench FILE [by-hand]; FILE is a page {\"results\": […]} of hero records")
  exit(64)
}

/// Reads one page again and again.
struct Readings {
  let page: [UInt8]
  var reader = JSON.Reader()
  var records: [HeroRow] = []

  /// Reads the page once, and returns how long that took.
  mutating func read(_ row: (JSON) throws -> HeroRow) throws -> Duration {
    try ContinuousClock().measure { records = try reader.read(page).array("results").map(row) }
  }

  mutating func readDeclared() throws -> Duration { try read { try HeroRow($0, as: .service) } }
}

var readings = Readings(page: page)
if comparesByHand {
  // In turn, and the fastest of each: another process takes time away, but gives none.
  var (declared, byHand) = (Duration.seconds(1_000), Duration.seconds(1_000))
  for _ in 0..<100 {
    declared = try min(declared, readings.readDeclared())
    byHand = try min(byHand, readings.read(HeroRow.init(byHand:)))
  }
  let ratio = declared / byHand
  print("declared fields take \(Double(Int(ratio * 100)) / 100) × the time of rows read by hand")
  exit(ratio > 1.1 ? 1 : 0)
}

var durations: [Duration] = []
for _ in 0..<25 { durations.append(try readings.readDeclared()) }
let seconds = durations.sorted()[durations.count / 2] / .seconds(1)
print("\(Int(Double(page.count) / 1e6 / seconds)) MB/s")
print("\(readings.records.count) records")
