// Measures how fast a page of hero records becomes records: `read-bench FILE` prints the median of 25 readings.
import AggregatorCore
import Platform

guard CommandLine.arguments.count == 2,
  let page = try? SystemFiles().read(CommandLine.arguments[1], upTo: 1 << 30).bytes
else {
  print("usage: read-bench FILE, a page {\"results\": […]} of hero records")
  exit(64)
}

var reader = JSON.Reader()
var records = 0
var durations: [Duration] = []
for _ in 0..<25 {
  durations.append(
    try ContinuousClock().measure {
      let rows = try reader.read(page).array("results").map { try HeroRow($0, as: .service) }
      records = rows.count
    })
}
let seconds = durations.sorted()[durations.count / 2] / .seconds(1)
print("\(Int(Double(page.count) / 1e6 / seconds)) MB/s")
print("\(records) records")
